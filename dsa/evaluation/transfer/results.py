"""What a task of the suite says of an encoder."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class TransferResult:
    """An encoder's result on a task of the suite.

    Args:
        count: rows measured.
        scores: `{name: value}`: `accuracy`, a fraction, with `f1` of the second label
            where the task has two and a test set; or `pearson`, `spearman` and `mse`
            (none of cosines, which have another scale).
        strengths: the C of logistic regression that was chosen, one for each fold;
            `None` where nothing was trained.
    """

    count: int
    scores: dict[str, float]
    strengths: tuple[float, ...] | None = None

    def as_entry(self, task):
        """The result as a dictionary for `transfer.json`; `task`: its name."""
        entry = {"task": task, "count": self.count, **self.scores}
        if self.strengths is not None:
            entry["strengths"] = list(self.strengths)
        return entry

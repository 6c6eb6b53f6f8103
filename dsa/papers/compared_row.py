"""A row of a table: the paper's numbers beside those of our runs."""

import dataclasses
import statistics
from typing import Any


@dataclasses.dataclass(frozen=True)
class Training:
    """What our runs of a row were trained on, and how. A value that differs between
    the runs is a text with all of them, and `None` where there is no run.

    Args:
        pairs: labelled training rows.
        mixed_pairs: rows of another corpus that were mixed in.
        share: `pairs` as a share of the official training file; 1 for a corpus that is
            available whole or not at all.
        selected_on_test: whether a checkpoint was chosen on the test rows.
        vectors: the word vectors, in words.
        epochs: passes over the training rows; also `None` for a model without epochs.
        seeds: of the runs.
        commits: of the code, as `name_commit` writes them.
    """

    pairs: int | str | None
    mixed_pairs: int | str | None
    share: float | None
    selected_on_test: bool
    vectors: str | None
    epochs: float | str | None
    seeds: tuple[int, ...]
    commits: tuple[str, ...]

    @property
    def partial(self) -> bool | None:
        """Whether a run had only a part of the training file; `None` without runs."""
        return None if self.share is None else self.share < 1


@dataclasses.dataclass(frozen=True)
class MeasuredValue:
    """A measure of a row. Accuracies are in per cent.

    Args:
        paper: the paper's number, `None` if there is none.
        paper_text: the same as the paper prints it.
        seeds: our number for each seed; of a cross-validation over all folds' rows.
        split: what ours was measured on, `None` if it was not.
        rows: how many labelled rows that split has, or other units that ours is a
            mean over, in all folds together.
        compared: whether the difference to the paper is a question of sampling.
        unit: what `rows` are, in words.
        error: the standard error of ours, the mean over the seeds; `None` where it is
            that of a share of the rows.
    """

    paper: float | None
    paper_text: str | None
    seeds: tuple[float, ...]
    split: str | None
    rows: int | None
    compared: bool
    unit: str = "pairs"
    error: float | None = None

    @property
    def mean(self) -> float | None:
        """Our mean over the seeds."""
        return statistics.mean(self.seeds) if self.seeds else None

    @property
    def least(self) -> float | None:
        """Our lowest number of a seed."""
        return min(self.seeds, default=None)

    @property
    def most(self) -> float | None:
        """Our highest number of a seed."""
        return max(self.seeds, default=None)

    @property
    def deviation(self) -> float | None:
        """Standard deviation of the seeds; `None` for fewer than two."""
        return statistics.stdev(self.seeds) if len(self.seeds) > 1 else None

    @property
    def difference(self) -> float | None:
        """`(ours - paper) / sqrt(p (100 - p) / n)`, in standard errors, with the
        paper's p in per cent and our n, or `(ours - paper) / error` where ours has its
        own; `None` where nothing is compared."""
        if self.mean is None or self.paper is None or not self.compared:
            return None
        error = self.error
        if error is None and self.rows:
            error = (self.paper * (100 - self.paper) / self.rows) ** 0.5
        return (self.mean - self.paper) / error if error else None


@dataclasses.dataclass(frozen=True)
class Costs:
    """What a row costs: the paper's numbers and ours, `None` where not known.

    Args:
        paper_parameters: trainable parameters without embeddings, in millions.
        parameters: ours, a number, or a text where the runs differ.
        paper_epoch_seconds: seconds per epoch.
        epoch_seconds: ours, the median over the runs.
        wall_seconds: of a whole training, the median over the runs.
        device: that our runs were trained on.
    """

    paper_parameters: float | None
    parameters: int | str | None
    paper_epoch_seconds: float | None
    epoch_seconds: float | None
    wall_seconds: float | None
    device: str | None


@dataclasses.dataclass(frozen=True)
class ComparedRow:
    """A row of a table, compared.

    Args:
        name: of the row.
        preset: that our runs were made with.
        training: of our runs.
        values: `{name of the measure: MeasuredValue}`.
        test_evaluations: how often a run's test split was evaluated, at most; `None`
            without runs.
        costs: of the paper's model and of ours.
    """

    name: str
    preset: str
    training: Training
    values: dict[str, MeasuredValue]
    test_evaluations: int | None
    costs: Costs

    def as_record(self) -> dict[str, Any]:
        """Returns the row as a flat dictionary: a line of the table's CSV file."""
        training, costs = self.training, self.costs
        record = {
            "model": self.name,
            "preset": self.preset,
            "training pairs": training.pairs,
            "pairs mixed in": training.mixed_pairs,
            "partial": training.partial,
            "share of training pairs": training.share,
            "selected on test": training.selected_on_test,
            "vectors": training.vectors,
            "epochs": training.epochs,
            "seeds": " ".join(map(str, training.seeds)),
            "commits": " ".join(training.commits),
        }
        for name, value in self.values.items():
            record |= {
                f"{name} paper": value.paper,
                f"{name} ours": value.mean,
                f"{name} min": value.least,
                f"{name} max": value.most,
                f"{name} standard deviation": value.deviation,
                f"{name} split": value.split,
                f"{name} {value.unit}": value.rows,
                f"{name} difference": value.difference,
            }
        return {
            **record,
            "test evaluations a run": self.test_evaluations,
            "parameters paper (millions)": costs.paper_parameters,
            "parameters": costs.parameters,
            "seconds an epoch paper": costs.paper_epoch_seconds,
            "seconds an epoch": costs.epoch_seconds,
            "wall seconds": costs.wall_seconds,
            "device": costs.device,
        }

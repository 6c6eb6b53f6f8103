"""Several runs that answer together: the mean of their probabilities.

M members, N rows, K labels, or whole numbers of a scale.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.inference.loading import load
from dsa.inference.python_inputs import Rows, read_rows
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import check_same_task

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

TINY = np.finfo(np.float64).tiny  # whose logarithm is a number


class Ensemble:
    """Trained models of one task whose probabilities are averaged; see `dsa.ensemble`.

    The most probable label, the score and the rank are those of the averages.

    Attributes:
        members: the `TrainedModel`s.
        task: their `Task`.
    """

    def __init__(self, members: Sequence["TrainedModel"]) -> None:
        self.members = list(members)
        self.task = self.members[0].task

    def __repr__(self) -> str:
        runs = ", ".join(str(member.run.path) for member in self.members)
        return (
            f"<Ensemble of {len(self.members)} runs, task '{self.task.name}': {runs}>"
        )

    def predict(self, rows: Rows, batch_size: int | None = None) -> list[Any]:
        """Labels, or scores, of sentence pairs or of sentences.

        Args, Returns, Raises: as `TrainedModel.predict`.
        """
        given = read_rows(rows, self.task.inputs)  # a generator can be read once
        return self._average(
            [member.predict(given, batch_size) for member in self.members]
        )

    def predict_examples(
        self,
        examples: Sequence[Example],
        source: Any = "input",
        batch_size: int | None = None,
    ) -> list[Any]:
        """As `predict`, for a list of `Example`; a text without token is unknown."""
        return self._average(
            [
                member.predict_examples(examples, source, batch_size)
                for member in self.members
            ]
        )

    def _average(self, answers):
        """The task's answers, of a list of them for each member."""
        if not answers[0]:
            return []
        probabilities = [
            [list(answer.probabilities.values()) for answer in of_member]
            for of_member in answers
        ]
        return list(map(self.task.answer, average_probabilities(probabilities)))


def average_probabilities(probabilities: Any) -> np.ndarray:
    """Averages probabilities `(M, N, K)` of M models. Returns the logarithms of the
    means, `(N, K)`: logits that have the means as their softmax.

    Example:
        >>> logits = average_probabilities([[[0.5, 0.5]], [[0.1, 0.9]]])
        >>> np.exp(logits).round(2).tolist()
        [[0.3, 0.7]]
    """
    return np.log(np.maximum(np.mean(probabilities, axis=0), TINY))


def average_logits(logits: Sequence[np.ndarray]) -> np.ndarray:
    """As `average_probabilities`, of M arrays of logits `(N, K)`."""
    from scipy.special import softmax

    return average_probabilities(
        [softmax(part.astype(np.float64), axis=1) for part in logits]
    )


def check_members(runs: Sequence[RunFolder]) -> None:
    """Checks that runs can answer together; needs no Keras.

    Raises: `InputError` for runs of different tasks or labels, for a run that is given
        twice, and for none.
    """
    if not runs:
        raise InputError("an ensemble needs runs. Received: none")
    paths = [run.path.resolve() for run in runs]
    for run, path in zip(runs, paths, strict=True):
        if paths.count(path) > 1:
            raise InputError(
                f"{run.path} is given twice: its answers would count twice"
            )
    if len(runs) > 1:
        check_same_task(runs)


def load_ensemble(
    runs: Sequence[RunFolder],
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    runtime: str = "keras",
) -> Ensemble:
    """Loads runs that answer together.

    Args:
        runs: the `RunFolder`s.
        vectors, root, runtime: as those of `load`.

    Raises: `InputError` as `check_members` and `load`.
    """
    check_members(runs)
    return Ensemble([load(run, vectors, root, runtime) for run in runs])


def load_models(
    runs: Sequence[RunFolder],
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    runtime: str = "keras",
) -> "TrainedModel | Ensemble":
    """Loads a run, or several as an `Ensemble`; arguments as `load_ensemble`."""
    if len(runs) == 1:
        return load(runs[0], vectors, root, runtime)
    return load_ensemble(runs, vectors, root, runtime)

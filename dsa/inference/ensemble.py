"""Ensembles, which average the probabilities of several runs.

Axes: M members, N rows, K labels or integers of a scale.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.inference.loading import load
from dsa.inference.python_inputs import (
    Rows,
    is_table,
    join_texts,
    make_table,
    read_rows,
)
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import check_same_task
from dsa.tasks.probabilities import softmax

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

MIN_PROBABILITY = np.finfo(np.float64).tiny  # log(0) is infinite


class Ensemble:
    """Ensemble of trained models of the same task; see `dsa.ensemble`.

    Labels, scores and ranks follow from the mean probabilities of the models.

    Attributes:
        members: the `TrainedModel`s.
        task: the `Task` of the members.
    """

    def __init__(self, members: Sequence["TrainedModel"]) -> None:
        self.members = list(members)
        self.task = self.members[0].task

    def __repr__(self) -> str:
        runs = ", ".join(str(member.run.path) for member in self.members)
        return (
            f"<Ensemble of {len(self.members)} runs, task '{self.task.name}': {runs}>"
        )

    def predict(
        self,
        rows: Rows,
        *others: str,
        batch_size: int | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Any:
        """Predicts the labels or scores of sentence pairs or of sentences.

        Args, Returns, Raises: see `TrainedModel.predict`.
        """
        # the rows are read once, because they can be a generator
        run_columns = self.members[0].columns
        all_rows = join_texts(rows, others)
        texts = read_rows(all_rows, self.task.inputs, run_columns, columns)
        predictions = self._average(
            [member.predict(texts, batch_size=batch_size) for member in self.members]
        )
        if is_table(rows):
            return make_table(rows, predictions, self.task)
        return predictions

    def predict_examples(
        self,
        examples: Sequence[Example],
        source: Any = "input",
        batch_size: int | None = None,
    ) -> list[Any]:
        """Predicts `Example`s; see `TrainedModel.predict_examples`."""
        return self._average(
            [
                member.predict_examples(examples, source, batch_size)
                for member in self.members
            ]
        )

    def _average(self, predictions):
        """Returns the predictions that follow from the mean probabilities.

        Args:
            predictions: list of M lists of predictions, one for each member.
        """
        if not predictions[0]:
            return []
        probabilities = []
        for member in predictions:
            rows = [list(prediction.probabilities.values()) for prediction in member]
            probabilities.append(rows)
        logits = average_probabilities(probabilities)
        return [self.task.answer(row_logits) for row_logits in logits]


def average_probabilities(probabilities: Any) -> np.ndarray:
    """Averages the probabilities of M models.

    Args:
        probabilities: array or nested lists `(M, N, K)`.

    Returns: the logarithms of the means, `(N, K)`; their softmax equals the means.

    Example:
        >>> logits = average_probabilities([[[0.5, 0.5]], [[0.1, 0.9]]])
        >>> np.exp(logits).round(2).tolist()
        [[0.3, 0.7]]
    """
    return np.log(np.maximum(np.mean(probabilities, axis=0), MIN_PROBABILITY))


def average_logits(logits: Sequence[np.ndarray]) -> np.ndarray:
    """Averages the probabilities of M models, given their logits.

    Args:
        logits: M arrays `(N, K)`.

    Returns: see `average_probabilities`.
    """
    return average_probabilities(
        [softmax(member.astype(np.float64), axis=1) for member in logits]
    )


def check_members(runs: Sequence[RunFolder]) -> None:
    """Raises `InputError` if runs cannot form an ensemble. Does not import Keras.

    An ensemble requires at least one run, distinct runs, and the same task and labels.
    """
    if not runs:
        raise InputError("an ensemble requires at least one run. Received: none")
    paths = [run.path.resolve() for run in runs]
    for run, path in zip(runs, paths, strict=True):
        if paths.count(path) > 1:
            raise InputError(
                f"the runs of an ensemble must be distinct. Received: {run.path} twice"
            )
    if len(runs) > 1:
        check_same_task(runs)


def load_ensemble(
    runs: Sequence[RunFolder],
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    runtime: str = "keras",
) -> Ensemble:
    """Loads several runs as an `Ensemble`.

    Args:
        runs: the run folders.
        vectors, root, runtime: see `load`.

    Raises: `InputError`, see `check_members` and `load`.
    """
    check_members(runs)
    return Ensemble([load(run, vectors, root, runtime) for run in runs])


def load_models(
    runs: Sequence[RunFolder],
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    runtime: str = "keras",
) -> "TrainedModel | Ensemble":
    """Loads one run, or several runs as an `Ensemble`; see `load_ensemble`."""
    if len(runs) == 1:
        return load(runs[0], vectors, root, runtime)
    return load_ensemble(runs, vectors, root, runtime)

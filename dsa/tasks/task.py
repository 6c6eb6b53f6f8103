"""Base class of tasks, names of the model inputs, and metrics by group."""

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dsa.errors import InputError

PAIR = ("premise", "hypothesis")  # input names of a pair
SENTENCE = "sentence"
SINGLE = (SENTENCE,)  # input name of a single sentence
PREMISE_POSITIONS = "premise_positions"  # input: index of the premise of each row
NONOVERLAP = ("premise_nonoverlap", "hypothesis_nonoverlap")  # without shared words
UNKNOWN_GROUP = "unknown"  # name of the group of rows without a group
Groups = Sequence[str | None] | None


class Task(abc.ABC):
    """Base class of tasks: inputs, loss, metrics, selection metric and output format.

    `docs/extending.md` describes the members. A subclass defines the abstract methods
    and the attributes without a default.

    Attributes:
        name: name of the task, such as "nli".
        rows: plural noun for the rows, used in messages, such as "pairs".
        answers: description of the answers for messages, such as "the labels ...".
        inputs: names of the model's input sentences, `PAIR` or `SINGLE`.
        outputs: number of logits.
        names: name of each logit.
        number_type: NumPy type of the numeric value of a label.
        selects: metric that selects the checkpoint; higher is better.
        unit: plural noun for the units over which this metric is averaged.
        compares_rows: whether the metric requires rows with different labels.
        ranks: whether the rows of a group are ranked.
        classifies_pairs: whether a row is a pair with one label, as pair models
            require.
        head: classifier of a sentence encoder, a key of
            `dsa.models.classifiers.sentence_classifiers.SENTENCE_MODELS`.
        file_form: format of a file to predict, a key of
            `dsa.inference.file_forms.FORMS`.
    """

    name: str
    rows: str
    answers: str
    selects: str
    head: str
    inputs: tuple[str, ...]
    names: tuple[str, ...]
    outputs: int
    number_type: type
    compares_rows = False
    ranks = False
    classifies_pairs = False

    @property
    def unit(self) -> str:
        return self.rows

    @property
    def file_form(self) -> str:
        return self.rows

    @abc.abstractmethod
    def number(self, label: Any) -> Any:
        """Converts the label of a row to its numeric value, such as the label id."""

    @abc.abstractmethod
    def restore_label(self, number: Any) -> Any:
        """Converts the numeric value of a label back to the label."""

    @abc.abstractmethod
    def describe(self, number: Any) -> str:
        """Returns a description of a label for messages, from its numeric value."""

    @abc.abstractmethod
    def loss(self) -> Any:
        """Returns the Keras training loss, which is computed from logits."""

    @abc.abstractmethod
    def training_metrics(self) -> list[Any]:
        """Returns the Keras metrics that training reports in addition to the loss."""

    @abc.abstractmethod
    def metrics(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, Any]:
        """Computes the metrics of N rows from their logits.

        Args:
            logits: logits of the rows, `(N, outputs)`.
            labels: numeric values of the gold labels, `(N,)`.
            groups: group of each row, such as the genre; `None` for no groups.

        Returns: a dictionary with `count`, `loss` and the selection metric.
        """

    @abc.abstractmethod
    def unit_values(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, np.ndarray]:
        """Computes the metrics of each unit, `{metric: values of the units}`.

        Only metrics that are means over units are included.

        Args: see `metrics`.
        """

    @abc.abstractmethod
    def answer(self, logits: np.ndarray) -> Any:
        """Returns the answer for the logits of one row, `(outputs,)`.

        The answer is a named tuple. Its first field is the label or the score, and its
        field `probabilities` is `{name: probability}`.
        """

    @abc.abstractmethod
    def as_text(self, entry: Mapping[str, Any]) -> Iterator[str]:
        """Yields the printed lines of an evaluation, the result of `metrics`."""


def with_groups(
    measure: Callable[[np.ndarray, np.ndarray], dict[str, Any]],
    selects: str,
    logits: np.ndarray,
    labels: np.ndarray,
    groups: Groups = None,
) -> dict[str, Any]:
    """Computes the metrics of N rows, and the selection metric of each group.

    Args:
        measure: function that maps logits `(N, outputs)` and labels `(N,)` to a
            dictionary of metrics.
        selects: key of the selection metric.
        logits: logits of the rows, `(N, outputs)`.
        labels: numeric values of the gold labels, `(N,)`.
        groups: group of each row; `None` for no groups.

    Returns: a dictionary with `count`, N, and the metrics. With groups, `by_group` is
        `{group: {"count": number of rows, selects: metric}}`.
    """
    result = {"count": len(labels), **measure(logits, labels)}
    if groups is not None:
        names = np.array([group or UNKNOWN_GROUP for group in groups])
        result["by_group"] = {}
        for group in np.unique(names):
            rows = names == group
            value = measure(logits[rows], labels[rows])[selects]
            part = {"count": int(rows.sum()), selects: value}
            result["by_group"][str(group)] = part
    return result


def count_units(task: Task, entry: Mapping[str, Any]) -> int:
    """Returns the number of units over which the selection metric is averaged.

    Args:
        task: the task.
        entry: an evaluation. The key of the number is the name of the unit, or `count`
            if the units are rows.

    Raises: `InputError` if the number is missing or not an integer.
    """
    count = entry.get(task.unit, entry.get("count"))
    if type(count) is not int:
        raise InputError(
            f"a damaged evaluation of {entry.get('split')!r}: 'count' must be an "
            f"integer. Received: {count!r:.50}"
        )
    return count


def list_groups(entry: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Returns `(name, metrics)` for each group of an evaluation; an empty list if no
    row has a group."""
    groups = entry.get("by_group", {})
    if list(groups) == [UNKNOWN_GROUP]:
        return []
    return list(groups.items())

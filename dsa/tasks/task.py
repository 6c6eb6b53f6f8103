"""The interface of a task, the names of its inputs, and metrics by group."""

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dsa.errors import InputError

PAIR = ("premise", "hypothesis")  # names of the sentences that a model reads
SINGLE = ("sentence",)
PREMISE_POSITIONS = "premise_positions"  # index of each row's distinct premise
NONOVERLAP = ("premise_nonoverlap", "hypothesis_nonoverlap")  # without common words
UNKNOWN = "unknown"  # name of the group of rows without a group
Groups = Sequence[str | None] | None


class Task(abc.ABC):
    """Inputs, loss, metrics, selection metric and output format of a task.

    `docs/extending.md` describes the members. A subclass defines the abstract methods
    and the attributes without a default.

    Attributes:
        name, rows, answers: words for messages: "nli", "pairs", "the labels ...".
        inputs: names of the sentences that the model reads, `PAIR` or `SINGLE`.
        outputs, names: number of logits, and a name for each.
        number_type: NumPy type of a row's label as a number.
        selects: metric that selects the checkpoint; higher is better.
        unit: noun for the units that this metric averages over.
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
        """Returns a row's label as a number."""

    @abc.abstractmethod
    def restore_label(self, number: Any) -> Any:
        """Returns a row's label from its number."""

    @abc.abstractmethod
    def describe(self, number: Any) -> str:
        """Returns a row's label in words, from its number."""

    @abc.abstractmethod
    def loss(self) -> Any:
        """Returns the Keras training loss, on logits."""

    @abc.abstractmethod
    def training_metrics(self) -> list[Any]:
        """Returns the Keras metrics that training reports in addition to the loss."""

    @abc.abstractmethod
    def metrics(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, Any]:
        """Measures the logits of N rows.

        Args:
            logits: `(N, outputs)`.
            labels: `(N,)`, the gold labels as numbers.
            groups: group of each row, such as its genre; `None` for no groups.

        Returns: a dictionary with `count`, `loss` and the selection metric.
        """

    @abc.abstractmethod
    def unit_values(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, np.ndarray]:
        """Returns `{metric: values of all units}`; see `metrics` for the arguments."""

    @abc.abstractmethod
    def answer(self, logits: np.ndarray) -> Any:
        """Returns the answer for one row's logits `(outputs,)`: a named tuple whose
        first field is the answer, with a field `probabilities` by name."""

    @abc.abstractmethod
    def as_text(self, entry: Mapping[str, Any]) -> Iterator[str]:
        """Yields the lines of an evaluation, given the result of `metrics`."""


def with_groups(
    measure: Callable[[np.ndarray, np.ndarray], dict[str, Any]],
    selects: str,
    logits: np.ndarray,
    labels: np.ndarray,
    groups: Groups = None,
) -> dict[str, Any]:
    """Returns the metrics of N rows, and the selection metric of each group.

    Args:
        measure: function that maps logits `(N, outputs)` and labels `(N,)` to a
            dictionary of metrics.
        selects: key of the selection metric.
        logits, labels: logits and labels of the rows.
        groups: group of each row; `None` for no groups.

    Returns: `count` and the result of `measure`; with groups also `by_group`,
        `{group: {"count", selects}}`.
    """
    result = {"count": len(labels), **measure(logits, labels)}
    if groups is not None:
        names = np.array([group or UNKNOWN for group in groups])
        result["by_group"] = {}
        for group in np.unique(names):
            rows = names == group
            value = measure(logits[rows], labels[rows])[selects]
            part = {"count": int(rows.sum()), selects: value}
            result["by_group"][str(group)] = part
    return result


def count_units(task: Task, entry: Mapping[str, Any]) -> int:
    """Returns the number of units that an evaluation's selection metric averages over.

    An entry records this number under the unit's name if the units are not rows.

    Raises: `InputError` for an entry without the number.
    """
    count = entry.get(task.unit, entry.get("count"))
    if type(count) is not int:
        raise InputError(
            f"a damaged evaluation of {entry.get('split')!r}: 'count' must be an "
            f"integer. Received: {count!r:.50}"
        )
    return count


def list_groups(entry: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Returns the groups of an evaluation as `(name, metrics)`; an empty list if all
    rows have an unknown group."""
    groups = entry.get("by_group", {})
    return [] if list(groups) == [UNKNOWN] else list(groups.items())

"""What every task answers, the names of its inputs, and metrics by group."""

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

PAIR = ("premise", "hypothesis")  # names of the sentences that a model reads
SINGLE = ("sentence",)
PREMISE_POSITIONS = "premise_positions"  # of each row's premise among distinct ones
NONOVERLAP = ("premise_nonoverlap", "hypothesis_nonoverlap")  # without common words
UNKNOWN = "unknown"  # the group of rows without one
Groups = Sequence[str | None] | None


class Task(abc.ABC):
    """What a model is trained to answer; any object with these members, which are
    described in `docs/extending.md`, is a task. A subclass takes over what is given,
    and must have the rest.

    Attributes:
        name, rows, answers: words for messages: "nli", "pairs", "the labels ...".
        inputs: the names of the sentences that the model reads, `PAIR` or `SINGLE`.
        outputs, names: the number of logits, and a name for each.
        number_type: the NumPy type of a row's label as a number.
        selects: the metric that selects the checkpoint; higher is better.
        unit: what that metric is a mean over, in words.
        compares_rows: whether it needs rows with different labels.
        ranks: whether a row is compared with the others of its group.
        classifies_pairs: whether a row is a pair with one label, as pair models need.
        head: the classifier of an encoder, a key of
            `dsa.models.classifiers.sentence_classifiers.HEADS`.
        file_form: the form of a file to predict, a key of
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
        """Returns the Keras loss of training, on logits."""

    @abc.abstractmethod
    def training_metrics(self) -> list[Any]:
        """Returns Keras metrics that training reports beside the loss."""

    @abc.abstractmethod
    def metrics(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, Any]:
        """Measures the logits of N rows.

        Args:
            logits: `(N, outputs)`.
            labels: `(N,)`, the gold labels as numbers.
            groups: the group of each row, such as its genre; `None` for none.

        Returns: a dictionary with `count`, `loss` and the metric that selects.
        """

    @abc.abstractmethod
    def unit_values(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, np.ndarray]:
        """Returns `{metric: its value for each unit}`; arguments as `metrics`."""

    @abc.abstractmethod
    def answer(self, logits: np.ndarray) -> Any:
        """Returns the answer for one row's logits `(outputs,)`: a named tuple, the
        answer first, with `probabilities` by name."""

    @abc.abstractmethod
    def as_text(self, entry: Mapping[str, Any]) -> Iterator[str]:
        """Yields the lines of an evaluation, from what `metrics` returned."""


def with_groups(
    measure: Callable[[np.ndarray, np.ndarray], dict[str, Any]],
    selects: str,
    logits: np.ndarray,
    labels: np.ndarray,
    groups: Groups = None,
) -> dict[str, Any]:
    """Returns the metrics of N rows, and the selecting one of each group of them.

    Args:
        measure: a function of logits `(N, outputs)` and labels `(N,)` to a dictionary.
        selects: the key in that dictionary that is kept of a group.
        logits, labels: of the rows.
        groups: the group of each row, `None` for none.

    Returns: `count`, what `measure` gives, and, where there are groups, `by_group`:
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
    """Returns how many units the metric of an evaluation is a mean over. An entry names
    their number, where they are not its rows."""
    return entry.get(task.unit, entry["count"])


def list_groups(entry: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Returns the groups of an evaluation as `(name, part)`; none where all are
    unknown."""
    groups = entry.get("by_group", {})
    return [] if list(groups) == [UNKNOWN] else list(groups.items())

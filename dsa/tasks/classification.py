"""Classification task."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dsa.tasks.bootstrap import measure_f1
from dsa.tasks.calibration import BINS, measure_calibration_error
from dsa.tasks.probabilities import softmax
from dsa.tasks.task import PAIR, SINGLE, Groups, Task, list_groups, with_groups


class Prediction(NamedTuple):
    """The most probable label and the probability of every label."""

    label: str
    probabilities: dict[str, float]


@dataclasses.dataclass(frozen=True)
class Classification(Task):
    """Task of classifying a sentence or a pair of sentences.

    Args:
        name: name of the task.
        inputs: names of the sentences that the model reads.
        labels: names of the labels, in the order of their ids.
        positive: positive label of a binary task, whose F1 score is reported; `None`
            for no F1 score.
    """

    name: str
    inputs: tuple[str, ...]
    labels: tuple[str, ...]
    positive: str | None = None
    selects: ClassVar[str] = "accuracy"
    number_type: ClassVar[type] = np.int8  # the number of a label is its id

    @property
    def rows(self) -> str:
        return "sentences" if self.inputs == SINGLE else "pairs"

    @property
    def head(self) -> str:
        """Name of the classifier of sentence vectors, a key of
        `dsa.models.classifiers.sentence_classifiers.SENTENCE_MODELS`."""
        return "sentence_classifier" if self.inputs == SINGLE else "pair_classifier"

    @property
    def classifies_pairs(self) -> bool:
        return self.inputs == PAIR

    @property
    def outputs(self) -> int:
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        return self.labels

    @property
    def answers(self) -> str:
        return f"the labels {', '.join(self.labels)}"

    def number(self, label: str) -> int:
        return self.labels.index(label)

    def restore_label(self, number: int) -> str:
        return self.labels[number]

    def describe(self, number: int) -> str:
        return f"label {self.labels[number]}"

    def loss(self) -> Any:
        import keras

        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def training_metrics(self) -> list[Any]:
        import keras

        return [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]

    def metrics(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, Any]:
        """Computes the metrics of N rows from their logits; see `Task.metrics`.

        Returns: a dictionary with the keys
            `count`: N;
            `loss`: mean cross-entropy, in nats;
            `accuracy`: a fraction p;
            `standard_error`: standard error of the accuracy, sqrt(p (1 - p) / N);
            `macro_f1`: mean F1 score of the labels that are gold or predicted;
            `calibration_error`: expected calibration error, a fraction;
            `by_label`: accuracy and number of rows for each gold label;
            `labels`: names of the labels;
            `confusion`: confusion matrix of counts; rows are gold labels, columns are
            predicted labels;
            `f1`, `f1_standard_error`: F1 score of the positive label and its bootstrap
            standard error over the rows, if the task has a positive label;
            `by_group`: accuracy and number of rows of each group, if `groups` is given.
        """
        return with_groups(self._measure, self.selects, logits, labels, groups)

    def unit_values(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, np.ndarray]:
        """Returns `{"accuracy": array (N,)}`, with 1.0 for a correct row and 0.0 for an
        incorrect row; see `Task.unit_values`."""
        is_correct = logits.argmax(axis=1) == labels
        return {"accuracy": is_correct.astype(np.float64)}

    def _measure_loss(self, logits, labels):
        """Returns the mean cross-entropy, in nats."""
        from scipy.special import log_softmax

        log_probabilities = log_softmax(logits.astype(np.float64), axis=1)
        return float(-log_probabilities[np.arange(len(labels)), labels].mean())

    def _measure(self, logits, labels):
        """Returns all metrics of `metrics` except `count` and `by_group`."""
        from sklearn.metrics import confusion_matrix, f1_score

        probabilities = softmax(logits.astype(np.float64), axis=1)
        predicted = logits.argmax(axis=1)
        is_correct = predicted == labels
        accuracy = float(is_correct.mean())
        # without `labels=...`, f1_score averages over the labels that are gold or
        # predicted
        macro_f1 = f1_score(
            labels,
            predicted,
            average="macro",
            zero_division=0,  # pyright: ignore[reportArgumentType] (a number or "warn")
        )
        confusion = confusion_matrix(labels, predicted, labels=range(len(self.labels)))
        by_label = {}
        for label_id, name in enumerate(self.labels):
            rows = labels == label_id
            accuracy_of_label = None
            if rows.any():
                accuracy_of_label = float(is_correct[rows].mean())
            by_label[name] = {
                "count": int(rows.sum()),
                "accuracy": accuracy_of_label,
            }
        return {
            "loss": self._measure_loss(logits, labels),
            "accuracy": accuracy,
            "standard_error": (accuracy * (1 - accuracy) / len(labels)) ** 0.5,
            "macro_f1": float(macro_f1),
            "calibration_error": measure_calibration_error(probabilities, labels),
            "by_label": by_label,
            "labels": list(self.labels),
            "confusion": confusion.tolist(),
            **self._measure_positive(predicted, labels),
        }

    def _measure_positive(self, predicted, labels):
        """Returns the F1 score of the positive label and its standard error; an empty
        dictionary for a task without a positive label."""
        if self.positive is None:
            return {}
        positive = self.number(self.positive)
        f1, error = measure_f1(predicted == positive, labels == positive)
        return {"f1": f1, "f1_standard_error": error}

    def answer(self, logits: np.ndarray) -> Prediction:
        """Returns the `Prediction` for the logits of one row, `(outputs,)`."""
        values = softmax(logits.astype(np.float64)).tolist()
        probabilities = dict(zip(self.labels, values, strict=True))
        most_probable = max(probabilities, key=lambda label: probabilities[label])
        return Prediction(most_probable, probabilities)

    def as_text(self, entry: Mapping[str, Any]) -> Iterator[str]:
        """Yields the printed lines of an evaluation. Fractions are converted to per
        cent."""
        yield from self._format_metrics(entry)
        yield from _format_confusion(entry)
        yield from _format_groups(entry)

    def _format_metrics(self, entry):
        """Yields one line per metric."""
        yield (
            f"  accuracy  {100 * entry['accuracy']:.2f} %"
            f" +- {100 * entry['standard_error']:.2f} (standard error)"
        )
        absent = count_absent_labels(entry["confusion"])
        note = ""
        if absent:
            note = f" (labels that do not occur are excluded: {absent})"
        yield f"  macro F1  {100 * entry['macro_f1']:.2f} %{note}"
        if self.positive is not None:
            yield (
                f"  F1 of '{self.positive}'  {100 * entry['f1']:.2f} %"
                f" +- {100 * entry['f1_standard_error']:.2f} (standard error)"
            )
        yield f"  loss      {entry['loss']:.4f}"
        if "calibration_error" in entry:  # missing in evaluations of old versions
            yield (
                "  expected calibration error  "
                f"{100 * entry['calibration_error']:.2f} % ({BINS} bins)"
            )


def _format_confusion(entry):
    """Yields the lines of the confusion matrix with the accuracy of each label."""
    names = entry["labels"]
    width = _get_column_width(entry)
    columns = "".join(f"{name:>{width}}" for name in names)
    yield f"  {'gold':{width}}{columns}{'count':>8}{'accuracy':>10}   (predicted)"
    for name, row in zip(names, entry["confusion"], strict=True):
        counts = "".join(f"{count:{width}d}" for count in row)
        yield _format_accuracy(f"{name:{width}}{counts}", entry["by_label"][name])


def _get_column_width(entry):
    """Returns the width of a column of labels or groups, in characters."""
    groups = [name for name, _ in list_groups(entry)]
    names = [*entry["labels"], "gold", "group", *groups]
    return max(len(name) for name in names) + 2


def _format_groups(entry):
    """Yields the accuracy of each group, aligned with the confusion matrix."""
    groups = list_groups(entry)
    if not groups and entry.get("by_group"):
        yield "  no accuracy by group: the file contains no groups"
    width = _get_column_width(entry)
    empty_columns = " " * width * len(entry["labels"])
    if groups:
        yield f"  {'group':{width}}{empty_columns}{'count':>8}{'accuracy':>10}"
    for name, part in groups:
        yield _format_accuracy(f"{name:{width}}{empty_columns}", part)


def count_absent_labels(confusion: list[list[int]]) -> int:
    """Returns the number of labels that are neither gold nor predicted.

    Args:
        confusion: confusion matrix of counts; rows are gold labels, columns are
            predicted labels.

    Example:
        >>> count_absent_labels([[5, 0, 1], [0, 0, 0], [0, 0, 0]])
        1
    """
    counts = np.array(confusion)
    return int((counts.sum(axis=0) + counts.sum(axis=1) == 0).sum())


def _format_accuracy(prefix, part):
    """Returns a line that ends with the number of rows and the accuracy of a label or a
    group."""
    if part["accuracy"] is None:
        accuracy = "-"
    else:
        accuracy = f"{100 * part['accuracy']:.2f} %"
    return f"  {prefix}{part['count']:8d}{accuracy:>10}"

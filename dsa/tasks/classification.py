"""One label of several."""

import dataclasses
from typing import NamedTuple

import numpy as np

from dsa.tasks.bootstrap import f1_with_error
from dsa.tasks.inputs import PAIR, SINGLE
from dsa.tasks.metrics import list_groups, with_groups


class Prediction(NamedTuple):
    """The most probable label and the probability of every label."""

    label: str
    probabilities: dict[str, float]


@dataclasses.dataclass(frozen=True)
class Classification:
    """One label of several, for a sentence or a pair of sentences.

    Args:
        name: of the task.
        inputs: names of the sentences that the model reads.
        labels: in the order of their ids.
        positive: the label of two whose F1 is measured as well; `None` for none.
    """

    name: str
    inputs: tuple[str, ...]
    labels: tuple[str, ...]
    positive: str | None = None
    selects = "accuracy"  # the metric that selects the checkpoint, higher is better
    number_type = np.int8  # of a row's label as a number: its id
    compares_rows = False  # each row is right or wrong by itself
    ranks = False  # no row is compared with others of its group

    @property
    def rows(self):
        """What a corpus's rows are, in words."""
        return "sentences" if self.inputs == SINGLE else "pairs"

    @property
    def unit(self):
        """What the metric that selects is a mean over, in words."""
        return self.rows

    @property
    def file_form(self):
        """What a file to predict holds, a key of
        `dsa.inference.prediction_files.FORMS`."""
        return self.rows

    @property
    def head(self):
        """Which classifier is put on a sentence encoder, a key of
        `dsa.models.classifiers.sentence_classifiers.HEADS`."""
        return "sentence_classifier" if self.inputs == SINGLE else "pair_classifier"

    @property
    def classifies_pairs(self):
        """Whether a row is a pair with one label: what pair models work for."""
        return self.inputs == PAIR

    @property
    def outputs(self):
        """Number of the model's logits."""
        return len(self.labels)

    @property
    def names(self):
        """What each logit is of."""
        return self.labels

    @property
    def answers(self):
        """What the model can answer, in words."""
        return f"the labels {', '.join(self.labels)}"

    def number(self, label):
        """A row's label as a number: its id."""
        return self.labels.index(label)

    def restore_label(self, number):
        """A row's label from its number."""
        return self.labels[number]

    def describe(self, number):
        """A row's label in words, from its number."""
        return f"label {self.labels[number]}"

    def loss(self):
        """The Keras loss of training, on logits."""
        import keras

        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def training_metrics(self):
        """Keras metrics that training reports beside the loss."""
        import keras

        return [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]

    def metrics(self, logits, labels, groups=None):
        """How good logits of N rows are.

        Args:
            logits: `(N, outputs)`.
            labels: `(N,)`, ids of the gold labels.
            groups: the group of each row, such as its genre; `None` for none.

        Returns: a dictionary: `count`, N; `loss`, mean cross-entropy in nats;
            `accuracy`, a fraction, and its `standard_error` sqrt(p (1 - p) / N);
            `macro_f1`; `by_label`, accuracy and count of each gold label; `labels`,
            their names; `confusion`, rows gold, columns predicted; `f1` of the positive
            label and its `f1_standard_error`, by bootstrap over the rows, where a label
            is positive; `by_group`, accuracy and count of each group, where there are
            groups.
        """
        return with_groups(self._measure, self.selects, logits, labels, groups)

    def unit_values(self, logits, labels, groups=None):
        """`{metric: its value for each row (N,)}`; arguments as `metrics`."""
        right = logits.argmax(axis=1) == labels
        return {"accuracy": right.astype(np.float64)}

    def _measure_loss(self, logits, labels):
        """Mean cross-entropy, in nats."""
        from scipy.special import log_softmax

        surprise = -log_softmax(logits.astype(np.float64), axis=1)
        return float(surprise[np.arange(len(labels)), labels].mean())

    def _measure(self, logits, labels):
        from sklearn.metrics import confusion_matrix, f1_score

        predicted = logits.argmax(axis=1)
        right = predicted == labels
        accuracy = float(right.mean())
        ids = range(len(self.labels))
        macro_f1 = f1_score(
            labels, predicted, labels=ids, average="macro", zero_division=0
        )

        def part(rows):
            share = float(right[rows].mean()) if rows.any() else None
            return {"count": int(rows.sum()), "accuracy": share}

        return {
            "loss": self._measure_loss(logits, labels),
            "accuracy": accuracy,
            "standard_error": (accuracy * (1 - accuracy) / len(labels)) ** 0.5,
            "macro_f1": float(macro_f1),
            "by_label": {
                name: part(labels == number) for number, name in enumerate(self.labels)
            },
            "labels": list(self.labels),
            "confusion": confusion_matrix(labels, predicted, labels=ids).tolist(),
            **self._measure_positive(predicted, labels),
        }

    def _measure_positive(self, predicted, labels):
        """F1 of the positive label, where there is one."""
        if self.positive is None:
            return {}
        positive = self.number(self.positive)
        f1, error = f1_with_error(predicted == positive, labels == positive)
        return {"f1": f1, "f1_standard_error": error}

    def answer(self, logits):
        """The `Prediction` of one row's logits `(outputs,)`."""
        from scipy.special import softmax

        shares = softmax(logits.astype(np.float64)).tolist()
        probabilities = dict(zip(self.labels, shares, strict=True))
        return Prediction(max(probabilities, key=probabilities.get), probabilities)

    def as_text(self, entry):
        """Yields the lines of an evaluation, fractions in per cent.

        Args:
            entry: what `metrics` returned.
        """
        yield (
            f"  accuracy  {100 * entry['accuracy']:.2f} %"
            f" +- {100 * entry['standard_error']:.2f} (standard error)"
        )
        yield f"  macro F1  {100 * entry['macro_f1']:.2f} %"
        if "f1" in entry:  # entries of earlier versions have none
            yield (
                f"  F1        {100 * entry['f1']:.2f} %"
                f" +- {100 * entry['f1_standard_error']:.2f} (standard error), of"
                f" '{self.positive}'"
            )
        yield f"  loss      {entry['loss']:.4f}"
        names = entry["labels"]
        width = max(map(len, [*names, "gold"])) + 2
        heads = "".join(f"{name:>{width}}" for name in names)
        yield f"  {'gold':{width}}{heads}{'count':>8}{'accuracy':>10}   (predicted)"
        for name, row in zip(names, entry["confusion"], strict=True):
            counts = "".join(f"{count:{width}d}" for count in row)
            yield _write_line(f"{name:{width}}{counts}", entry["by_label"][name])
        groups = list_groups(entry)
        if not groups and entry.get("by_group"):
            yield "  genre unknown: the file names none"
        if groups:
            space = " " * width * len(names)
            yield f"  {'group':{width}}{space}{'count':>8}{'accuracy':>10}"
        for name, part in groups:
            yield _write_line(f"{name:{width}}{space}", part)


def _write_line(beginning, part):
    share = part["accuracy"]
    accuracy = "-" if share is None else f"{100 * share:.2f} %"
    return f"  {beginning}{part['count']:8d}{accuracy:>10}"

"""One label of several."""

import dataclasses

import numpy as np

from dsa.tasks.inputs import SINGLE


@dataclasses.dataclass(frozen=True)
class Classification:
    """One label of several.

    Args:
        name: of the task.
        inputs: names of the sentences that the model reads.
        labels: in the order of their ids.
    """

    name: str
    inputs: tuple[str, ...]
    labels: tuple[str, ...]
    metric = "accuracy"  # selects the checkpoint, higher is better
    number_type = np.int8  # of labels as numbers

    def number(self, label):
        """The id of a label."""
        return self.labels.index(label)

    @property
    def rows(self):
        """What a corpus's rows are, in words."""
        return "sentences" if self.inputs == SINGLE else "pairs"

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


def classification(task, logits, labels):
    """Accuracy and its kin.

    Returns: a dictionary: `loss`, mean cross-entropy in nats; `accuracy`, a fraction,
        and its `standard_error` sqrt(p (1 - p) / N); `macro_f1`; `by_label`, accuracy
        and count of each gold label; `labels`, their names; `confusion`, rows gold,
        columns predicted.
    """
    from scipy.special import log_softmax
    from sklearn.metrics import confusion_matrix, f1_score

    predicted = logits.argmax(axis=1)
    right = predicted == labels
    accuracy = float(right.mean())
    ids = range(len(task.labels))
    surprise = -log_softmax(logits.astype(np.float64), axis=1)

    def part(rows):
        share = float(right[rows].mean()) if rows.any() else None
        return {"count": int(rows.sum()), "accuracy": share}

    return {
        "loss": float(surprise[np.arange(len(labels)), labels].mean()),
        "accuracy": accuracy,
        "standard_error": (accuracy * (1 - accuracy) / len(labels)) ** 0.5,
        "macro_f1": float(
            f1_score(labels, predicted, labels=ids, average="macro", zero_division=0)
        ),
        "by_label": {name: part(labels == id) for id, name in enumerate(task.labels)},
        "labels": list(task.labels),
        "confusion": confusion_matrix(labels, predicted, labels=ids).tolist(),
    }

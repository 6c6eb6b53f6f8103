"""A task outside the package: whether two people agree, measured by the F1 of yes."""

import dataclasses
from typing import NamedTuple

import numpy as np

from dsa.tasks.task import PAIR, Task, with_groups


class Agreed(NamedTuple):
    """Prediction for a pair of sentences."""

    agreed: bool
    probabilities: dict[str, float]


@dataclasses.dataclass(frozen=True)
class Agreement(Task):
    """Classification of a pair of sentences as "yes" or "no"."""

    name: str = "agreement"
    inputs: tuple[str, ...] = PAIR
    names = ("no", "yes")
    outputs = 2
    rows = "pairs"
    answers = "yes or no"
    selects = "f1"
    head = "pair_classifier"
    number_type = np.int8
    classifies_pairs = True
    unit = file_form = "pairs"

    def number(self, label):
        return self.names.index(label)

    def restore_label(self, number):
        return self.names[number]

    def describe(self, number):
        return f"answer {self.names[number]}"

    def loss(self):
        import keras

        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def training_metrics(self):
        return []

    def metrics(self, logits, labels, groups=None):
        return with_groups(self._measure, self.selects, logits, labels, groups)

    def unit_values(self, logits, labels, groups=None):
        return {"accuracy": (logits.argmax(axis=1) == labels).astype(np.float64)}

    def _measure(self, logits, labels):
        from scipy.special import log_softmax
        from sklearn.metrics import f1_score

        losses = -log_softmax(logits.astype(np.float64), axis=1)
        predicted = logits.argmax(axis=1)
        return {
            "loss": float(losses[np.arange(len(labels)), labels].mean()),
            "f1": float(f1_score(labels, predicted, zero_division=0)),
        }

    def answer(self, logits):
        from scipy.special import softmax

        values = softmax(logits.astype(np.float64)).tolist()
        probabilities = dict(zip(self.names, values, strict=True))
        return Agreed(bool(logits.argmax()), probabilities)

    def as_text(self, entry):
        yield f"  F1 of yes {entry['f1']:.4f}"


AGREEMENT = Agreement()

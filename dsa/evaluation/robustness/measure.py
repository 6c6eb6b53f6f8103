"""Metrics of a robustness set, computed from logits.

N rows. Sets have three labels (entailment, neutral, contradiction) or two (entailment,
not entailment).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsa.data.corpora.catalogue import NLI, TWO_WAY_NLI
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.task import UNKNOWN

ENTAILMENT = 0  # the first label of both tasks


def check_labels(task: Any, location: object) -> None:
    """Raises `InputError` unless a model has the labels entailment, neutral and
    contradiction.

    Args:
        task: task of the model.
        location: run folder, for the error message.
    """
    labels = getattr(task, "labels", ())
    if task.inputs != NLI.inputs or sorted(labels) != sorted(NLI.labels):
        raise InputError(
            f"{location}: the suite requires the labels {', '.join(NLI.labels)}. This "
            f"model predicts {task.answers}"
        )


def order_logits(logits: np.ndarray, task: Classification) -> np.ndarray:
    """Reorders logits `(N, 3)` to entailment, neutral, contradiction."""
    return logits[:, [task.labels.index(label) for label in NLI.labels]]


def measure_set(
    task: Classification,
    logits: np.ndarray,
    labels: np.ndarray,
    groups: Sequence[str | None] | None = None,
    by_label: bool = False,
) -> dict:
    """Returns the metrics of a set.

    Args:
        task: task of the set, `NLI` or `TWO_WAY_NLI`.
        logits: `(N, 3)`, see `order_logits`.
        labels: `(N,)`, indices of the gold labels.
        groups: group of each row, or `None`.
        by_label: whether to compute the accuracy by group and gold label.

    Returns: the task's metrics; `interval`, the 95 % Wilson interval of `accuracy`;
        `majority`, the accuracy of the majority class. For two labels, these metrics
        sum the probabilities of neutral and contradiction. `argmax` then contains the
        metrics for the arg max of the three labels, in which neutral and contradiction
        count as not entailment.
    """
    three_way = logits.argmax(axis=1)
    if task == TWO_WAY_NLI:
        logits = join_other_labels(logits)
    correct = logits.argmax(axis=1) == labels
    entry = {
        **task.metrics(logits, labels, groups),
        "interval": wilson_interval(correct),
        "majority": float(np.bincount(labels).max() / len(labels)),
        **_measure_parts(task, correct, labels, groups if by_label else None),
    }
    if task == TWO_WAY_NLI:
        correct = np.where(three_way == ENTAILMENT, 0, 1) == labels
        entry["argmax"] = {
            "accuracy": float(correct.mean()),
            "interval": wilson_interval(correct),
            **_measure_parts(task, correct, labels, groups),
        }
    return entry


def join_other_labels(logits: np.ndarray) -> np.ndarray:
    """Returns logits `(N, 2)` of entailment and not entailment.

    The probability of not entailment is the sum over the other labels.
    """
    from scipy.special import logsumexp

    logits = logits.astype(np.float64)
    others = logsumexp(np.delete(logits, ENTAILMENT, axis=1), axis=1)
    return np.stack([logits[:, ENTAILMENT], others], axis=1)


def wilson_interval(correct: np.ndarray) -> list[float]:
    """Returns the 95 % Wilson interval of an accuracy: `[low, high]`."""
    from scipy.stats import binomtest

    ends = binomtest(int(correct.sum()), len(correct)).proportion_ci(method="wilson")
    return [float(ends.low), float(ends.high)]


def _measure_parts(task, correct, labels, groups):
    """Returns count and accuracy by group and gold label; `{}` without groups."""
    if groups is None:
        return {}
    groups = np.array([group or UNKNOWN for group in groups])
    parts = {}
    for group in np.unique(groups):
        parts[str(group)] = {}
        for label, name in enumerate(task.labels):
            rows = (groups == group) & (labels == label)
            accuracy = float(correct[rows].mean()) if rows.any() else None
            parts[str(group)][name] = {"count": int(rows.sum()), "accuracy": accuracy}
    return {"by_group_and_label": parts}

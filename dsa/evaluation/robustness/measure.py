"""Metrics of a robustness set, computed from logits.

A set has three labels (entailment, neutral, contradiction) or two labels (entailment,
not entailment), and N rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsa.data.corpora.catalogue import NLI, TWO_WAY_NLI
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.task import UNKNOWN_GROUP

ENTAILMENT = 0  # label id in `NLI` and `TWO_WAY_NLI`


def check_labels(task: Any, location: object) -> None:
    """Raises `InputError` if a model does not predict entailment, neutral and
    contradiction.

    Args:
        task: the task of the model.
        location: the run folder, for the error message.
    """
    labels = getattr(task, "labels", ())
    if task.inputs != NLI.inputs or sorted(labels) != sorted(NLI.labels):
        raise InputError(
            f"{location}: the suite requires the labels {', '.join(NLI.labels)}. This "
            f"model predicts {task.answers}"
        )


def reorder_logits(logits: np.ndarray, task: Classification) -> np.ndarray:
    """Reorders the columns of logits to entailment, neutral, contradiction.

    Args:
        logits: logits in the label order of `task`, `(N, 3)`.
        task: the task of the model.
    """
    columns = [task.labels.index(label) for label in NLI.labels]
    return logits[:, columns]


def measure_set(
    task: Classification,
    logits: np.ndarray,
    labels: np.ndarray,
    groups: Sequence[str | None] | None = None,
    by_label: bool = False,
) -> dict:
    """Returns the metrics of a set.

    For sets with two labels, the metrics are computed from the probability of
    entailment and the sum of the probabilities of neutral and contradiction. The item
    `argmax` contains metrics of another prediction rule: not entailment if the most
    probable of the three labels is neutral or contradiction.

    Args:
        task: the task of the set, `NLI` or `TWO_WAY_NLI`.
        logits: logits in the order of `reorder_logits`, `(N, 3)`.
        labels: gold label ids, `(N,)`.
        groups: group of each row; `None` for a set without groups.
        by_label: whether to compute the accuracy by group and gold label.

    Returns: the metrics of the task; `interval`, the 95 % Wilson interval of
        `accuracy`; `majority`, the accuracy of the majority class; with `by_label`,
        `by_group_and_label`; and for two labels, `argmax`.
    """
    is_two_way = task == TWO_WAY_NLI
    predicts_entailment = logits.argmax(axis=1) == ENTAILMENT
    if is_two_way:
        logits = merge_non_entailment(logits)
    correct = logits.argmax(axis=1) == labels
    entry: dict[str, Any] = {
        **task.metrics(logits, labels, groups),
        "interval": compute_wilson_interval(correct),
        "majority": float(np.bincount(labels).max() / len(labels)),
    }
    if by_label and groups is not None:
        entry["by_group_and_label"] = _measure_groups(task, correct, labels, groups)
    if is_two_way:
        correct = predicts_entailment == (labels == ENTAILMENT)
        argmax: dict[str, Any] = {
            "accuracy": float(correct.mean()),
            "interval": compute_wilson_interval(correct),
        }
        if groups is not None:
            argmax["by_group_and_label"] = _measure_groups(
                task, correct, labels, groups
            )
        entry["argmax"] = argmax
    return entry


def merge_non_entailment(logits: np.ndarray) -> np.ndarray:
    """Computes logits of entailment and not entailment, `(N, 2)`.

    The probability of not entailment is the sum of the probabilities of neutral and
    contradiction.

    Args:
        logits: logits in the order of `reorder_logits`, `(N, 3)`.
    """
    from scipy.special import logsumexp

    logits = logits.astype(np.float64)
    others = logsumexp(np.delete(logits, ENTAILMENT, axis=1), axis=1)
    return np.stack([logits[:, ENTAILMENT], others], axis=1)


def compute_wilson_interval(correct: np.ndarray) -> list[float]:
    """Computes the 95 % Wilson interval of an accuracy.

    Args:
        correct: whether each prediction is correct, bool `(N,)`.

    Returns: `[low, high]`.
    """
    from scipy.stats import binomtest

    test = binomtest(int(correct.sum()), len(correct))
    interval = test.proportion_ci(method="wilson")
    return [float(interval.low), float(interval.high)]


def _measure_groups(task, correct, labels, groups):
    """Returns the count and the accuracy of each gold label in each group.

    Returns: `{group: {label: {"count": count, "accuracy": accuracy}}}`. The accuracy of
        a label without rows is `None`.
    """
    groups = np.array([group or UNKNOWN_GROUP for group in groups])
    metrics = {}
    for group in np.unique(groups):
        by_label = {}
        for label_id, label in enumerate(task.labels):
            rows = (groups == group) & (labels == label_id)
            accuracy = float(correct[rows].mean()) if rows.any() else None
            by_label[label] = {"count": int(rows.sum()), "accuracy": accuracy}
        metrics[str(group)] = by_label
    return metrics

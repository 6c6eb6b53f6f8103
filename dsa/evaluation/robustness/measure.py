"""What is measured of a model's logits on a set of two or three labels.

N rows; three labels: entailment, neutral, contradiction; two: entailment or not.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsa.data.corpora.catalogue import NLI, TWO_WAY_NLI
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.task import UNKNOWN

ENTAILMENT = 0  # the first label of both tasks


def check_labels(task: Any, place: object) -> None:
    """Raises an error for a model of other labels than entailment, neutral and
    contradiction.

    Args:
        task: the model's task.
        place: its run, for the error.

    Raises: `InputError`.
    """
    labels = getattr(task, "labels", ())
    if task.inputs != NLI.inputs or sorted(labels) != sorted(NLI.labels):
        raise InputError(
            f"{place}: the suite is for runs with the labels {', '.join(NLI.labels)}. "
            f"This one answers with {task.answers}"
        )


def order_logits(logits: np.ndarray, task: Classification) -> np.ndarray:
    """Returns logits `(N, 3)` of a model's labels in the order of entailment, neutral,
    contradiction."""
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
        task: of the set, `NLI` or `TWO_WAY_NLI`.
        logits: `(N, 3)`, as `order_logits` gives them.
        labels: `(N,)`, the task's numbers of the gold labels.
        groups: the group of each row; `None` for none.
        by_label: whether groups are measured by gold label too.

    Returns: the task's metrics; `interval`, the 95 % Wilson interval of `accuracy`;
        `majority`, the accuracy of always giving the most frequent gold label. For two
        labels these are of the more probable one of entailment and the sum of neutral
        and contradiction, and `argmax` has `accuracy`, its `interval` and its parts for
        the most probable one of three, neutral and contradiction being non-entailment.
    """
    answers = by_argmax = logits.argmax(axis=1)
    if task == TWO_WAY_NLI:
        by_argmax = np.where(answers == ENTAILMENT, 0, 1)
        logits = join_other_labels(logits)
        answers = logits.argmax(axis=1)
    right = answers == labels
    entry = {
        **task.metrics(logits, labels, groups),
        "interval": find_interval(right),
        "majority": float(np.bincount(labels).max() / len(labels)),
        **_measure_parts(task, right, labels, groups if by_label else None),
    }
    if task == TWO_WAY_NLI:
        right = by_argmax == labels
        entry["argmax"] = {
            "accuracy": float(right.mean()),
            "interval": find_interval(right),
            **_measure_parts(task, right, labels, groups),
        }
    return entry


def join_other_labels(logits: np.ndarray) -> np.ndarray:
    """Returns logits of entailment and of the sum of the other labels' probabilities,
    `(N, 2)`."""
    from scipy.special import logsumexp

    logits = logits.astype(np.float64)
    others = logsumexp(np.delete(logits, ENTAILMENT, axis=1), axis=1)
    return np.stack([logits[:, ENTAILMENT], others], axis=1)


def find_interval(right: np.ndarray) -> list[float]:
    """Returns the 95 % Wilson interval of a share: `[low, high]`."""
    from scipy.stats import binomtest

    ends = binomtest(int(right.sum()), len(right)).proportion_ci(method="wilson")
    return [float(ends.low), float(ends.high)]


def _measure_parts(task, right, labels, groups):
    """`by_group_and_label`: `{group: {gold label: count and accuracy}}`."""
    if groups is None:
        return {}
    groups = np.array([group or UNKNOWN for group in groups])
    parts = {}
    for group in np.unique(groups):
        parts[str(group)] = {}
        for number, name in enumerate(task.labels):
            rows = (groups == group) & (labels == number)
            share = float(right[rows].mean()) if rows.any() else None
            parts[str(group)][name] = {"count": int(rows.sum()), "accuracy": share}
    return {"by_group_and_label": parts}

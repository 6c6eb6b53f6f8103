"""How good logits are, by task; N rows."""

import numpy as np

from dsa.tasks.classification import classification
from dsa.tasks.relatedness import Relatedness, relatedness

UNKNOWN = "unknown"  # the group of rows without one


def metrics(task, logits, labels, groups=None):
    """A task's metrics of predicted logits.

    Args:
        task: a task of `dsa.tasks.tasks`.
        logits: `(N, outputs)`.
        labels: `(N,)`, gold label ids, or scores.
        groups: the group of each row (genre), or `None` for none.

    Returns: a dictionary, see `classification` and `relatedness`; `count`, and
        `by_group`, the selecting metric and count of each group, where there are
        groups.
    """
    measure = relatedness if isinstance(task, Relatedness) else classification
    result = {"count": len(labels), **measure(task, logits, labels)}
    if groups is not None:
        groups = np.array([group or UNKNOWN for group in groups])
        result["by_group"] = {}
        for group in np.unique(groups):
            rows = groups == group
            value = measure(task, logits[rows], labels[rows])[task.metric]
            part = {"count": int(rows.sum()), task.metric: value}
            result["by_group"][str(group)] = part
    return result

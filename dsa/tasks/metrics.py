"""Metrics of rows and of groups of rows."""

import numpy as np

UNKNOWN = "unknown"  # the group of rows without one


def with_groups(measure, selects, logits, labels, groups=None):
    """The metrics of N rows, and the selecting one of each group of them.

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
        groups = np.array([group or UNKNOWN for group in groups])
        result["by_group"] = {}
        for group in np.unique(groups):
            rows = groups == group
            value = measure(logits[rows], labels[rows])[selects]
            part = {"count": int(rows.sum()), selects: value}
            result["by_group"][str(group)] = part
    return result


def count_units(task, entry):
    """Over how many units the metric of an evaluation is a mean: `unit` of its task.
    An entry names their number, where they are not its rows."""
    return entry.get(task.unit, entry["count"])


def list_groups(entry):
    """The groups of an evaluation as `(name, part)`; none where all are unknown."""
    groups = entry.get("by_group", {})
    return [] if list(groups) == [UNKNOWN] else list(groups.items())

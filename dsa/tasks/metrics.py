"""How good logits are, by task; N rows."""

import numpy as np

from dsa.tasks.tasks import Relatedness

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


def relatedness(task, logits, scores):
    """Correlation of predicted with gold scores.

    Returns: a dictionary: `loss`, mean KL divergence in nats (Tai et al. 2015,
        equation 16); `pearson` and `spearman`, 0 where either side is constant;
        `mse`, in squared units of the scale.
    """
    from scipy.special import log_softmax, xlogy

    log_shares = log_softmax(logits.astype(np.float64), axis=1)
    target = target_shares(task, scores)
    return {
        "loss": float((xlogy(target, target) - target * log_shares).sum(1).mean()),
        **correlation(expected_score(task, logits), scores),
    }


def target_shares(task, scores):
    """Scores as distributions over the scale's whole numbers, `(N, outputs)`: a score
    between two of them is shared between them (Tai et al. 2015, section 4.2)."""
    scale = np.arange(task.lowest, task.highest + 1)
    return np.maximum(0, 1 - np.abs(scores[:, None] - scale))


def correlation(predicted, scores):
    """`pearson`, `spearman` (0 where either side is constant) and `mse`."""
    from scipy.stats import pearsonr, spearmanr

    constant = len(scores) < 2 or np.ptp(predicted) == 0 or np.ptp(scores) == 0
    return {
        "pearson": 0.0 if constant else float(pearsonr(predicted, scores)[0]),
        "spearman": 0.0 if constant else float(spearmanr(predicted, scores)[0]),
        "mse": float(np.mean((predicted - scores) ** 2)),
    }


def expected_score(task, logits):
    """The score of logits, `(N,)`: the expectation over the scale's whole numbers."""
    from scipy.special import softmax

    shares = softmax(logits.astype(np.float64), axis=1)
    return shares @ np.arange(task.lowest, task.highest + 1)

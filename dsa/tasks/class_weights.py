"""Weights of labels in the training loss, for corpora with imbalanced labels."""

from collections.abc import Mapping, Sequence

import numpy as np

BALANCED = "balanced"


def compute_class_weights(
    setting: str | Mapping[str, float] | None,
    names: Sequence[str],
    labels: np.ndarray,
    shares: np.ndarray | None = None,
) -> np.ndarray | None:
    """Returns the weight of each label, or `None` if all labels have the same weight.

    Args:
        setting: "balanced", which gives a label with `count` rows the weight
            `N / (K count)`, so that the mean weight of the rows is 1; a dictionary
            `{label: weight}`, in which missing labels have weight 1; or `None`.
        names: names of the K labels, in the order of their ids.
        labels: int array `(N,)`, label ids of the training rows.
        shares: float array `(N,)`, the contribution of each row to N and `count`, such
            as the share of the epochs that contain the row; `None` for 1.

    Returns: float64 array `(K,)`. With "balanced", labels without rows have weight 1
        and are not counted in K.

    Example:
        >>> labels = np.array([0, 0, 0, 1])
        >>> compute_class_weights("balanced", ["no", "yes"], labels).round(2).tolist()
        [0.67, 2.0]
    """
    if setting is None:
        return None
    weights = np.ones(len(names))
    if setting == BALANCED:
        counts = np.bincount(labels, shares, minlength=len(names))
        present = counts > 0
        weights[present] = counts.sum() / (present.sum() * counts[present])
    elif isinstance(setting, Mapping):
        for index, name in enumerate(names):
            weights[index] = setting.get(name, 1.0)
    return weights

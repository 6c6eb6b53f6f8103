"""Linear classifier over the features of a pair."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.models.classifiers.linear import LinearClassifier

if TYPE_CHECKING:
    from dsa.data.rows.model_rows import ModelRows


class PairFeatureClassifier(LinearClassifier):
    """Linear classifier over the features of a pair.

    Without features, the only input is a constant 0, and the model predicts the most
    frequent label. Logits are float64 to prevent ties due to rounding.

    Args:
        features: F, number of features.
        outputs: K, number of logits.
    """

    def __init__(self, features: int, outputs: int):
        self.feature_count = max(features, 1)
        self.outputs = outputs

    def fit_features(self, rows: "ModelRows") -> np.ndarray:
        """Returns the features of training pairs (`ModelRows`). They have no parameters
        to fit."""
        return self.features(rows)

    def features(self, rows: "ModelRows") -> np.ndarray:
        """Returns the features `(N, F)` of pairs (`ModelRows`)."""
        if rows.features is None:
            return np.zeros((len(rows), 1))
        return rows.features.astype(np.float64)

    def layout(self, arrays: Mapping[str, Any]) -> dict[str, tuple]:
        kernel = (np.float64, self.feature_count, self.outputs)
        return {"kernel": kernel, "bias": (np.float64, self.outputs)}

"""A linear classifier over the features of a pair."""

import numpy as np

from dsa.models.classifiers.linear import LinearClassifier


class PairFeatureClassifier(LinearClassifier):
    """A linear classifier over the F features of a pair, to K outputs.

    Without features it has one that is always 0, so that it answers with the most
    frequent label. Its logits are float64, so that scores of different features stay
    different.
    """

    def __init__(self, features, outputs):
        self.feature_count = max(features, 1)
        self.outputs = outputs

    def learn_features(self, rows):
        """The features of training pairs, `ModelRows`: there is nothing to learn."""
        return self.features(rows)

    def features(self, rows):
        """Features `(N, F)` of pairs, `ModelRows`."""
        if rows.features is None:
            return np.zeros((len(rows), 1))
        return rows.features.astype(np.float64)

    def layout(self, arrays):
        kernel = (np.float64, self.feature_count, self.outputs)
        return {"kernel": kernel, "bias": (np.float64, self.outputs)}

"""A linear classifier over the features of a pair."""

import numpy as np

from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays


class PairFeatureClassifier:
    """A linear classifier over the F features of a pair, to K outputs.

    Without features it has one that is always 0, so that it answers with the most
    frequent label. A new one knows no weights: `set_weights` or `load` gives its
    `kernel` `(F, K)` and its `bias` `(K,)`.
    """

    def __init__(self, features, outputs):
        self.shapes = {"kernel": (max(features, 1), outputs), "bias": (outputs,)}

    def learn_features(self, rows):
        """The features of training pairs, `ModelRows`: there is nothing to learn."""
        return self.features(rows)

    def features(self, rows):
        """Features `(N, F)` of pairs, `ModelRows`."""
        if rows.features is None:
            return np.zeros((len(rows), 1))
        return rows.features.astype(np.float64)

    def set_weights(self, kernel, bias):
        """Give it a kernel `(F, K)` and a bias `(K,)`."""
        self.kernel, self.bias = kernel, bias

    def logits(self, rows, batch_size=None):
        """Logits of pairs, `ModelRows`: float64 `(N, K)`, so that scores of different
        features stay different; all computed at once, whatever `batch_size` is."""
        return self.score(self.features(rows))

    def score(self, features):
        """Logits of `features`."""
        return features @ self.kernel + self.bias

    def explain(self, inputs):
        """Raises: `InputError`: there is nothing that it looks at."""
        raise InputError("a classifier of features has no attention to look at")

    def save(self, path):
        """Write the weights as arrays."""
        write_arrays(path, {"kernel": self.kernel, "bias": self.bias}, {})

    def load(self, path):
        """Takes the weights that `save` wrote. Raises `InputError` for a file that is
        missing, damaged, or of other features or labels."""
        try:
            arrays, _ = read_arrays(path, "weights")
        except FileNotFoundError as error:
            raise InputError(f"{path}: missing, the run is not complete") from error
        shapes = {name: np.shape(array) for name, array in arrays.items()}
        if shapes != self.shapes or not all(
            array.dtype == np.float64 and np.isfinite(array).all()
            for array in arrays.values()
        ):
            raise InputError(f"{path}: not the weights of this run's model")
        self.set_weights(arrays["kernel"], arrays["bias"])

"""A linear classifier over features, kept in a file of arrays."""

from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays


class LinearClassifier:
    """A linear classifier over F features of a pair, to K outputs.

    A new one knows no weights: `set_weights` or `load` gives its `kernel` `(F, K)` and
    its `bias` `(K,)`. A subclass gives `features(rows)`, `(N, F)` of pairs,
    `ModelRows`; and `layout(arrays)`: the type and sizes of each array of a file, from
    those that are there.
    """

    features: Any
    layout: Any
    record = {}  # what a file holds beside its arrays
    logit_type: type = np.float64
    words = "a classifier of features"  # for messages

    def set_weights(self, kernel, bias):
        """Give it a kernel `(F, K)` and a bias `(K,)`."""
        self.kernel, self.bias = kernel, bias

    def logits(self, rows, batch_size=None):
        """Logits of pairs, `ModelRows`: `(N, K)`; all are computed at once, whatever
        `batch_size` is."""
        return self.score(self.features(rows))

    def score(self, features):
        """Logits of `features`."""
        return np.asarray(features @ self.kernel + self.bias, self.logit_type)

    def explain(self, inputs):
        """Raises: `InputError`: there is nothing that it looks at."""
        raise InputError(f"{self.words} has no attention to look at")

    def save(self, path):
        """Write what it has learned as arrays."""
        arrays = {name: getattr(self, name) for name in self.layout(vars(self))}
        write_arrays(path, arrays, self.record)

    def load(self, path):
        """Takes what `save` wrote. Raises `InputError` for a file that is missing,
        damaged, or of other words, features or labels."""
        try:
            arrays, record = read_arrays(path, "weights")
        except FileNotFoundError as error:
            raise InputError(f"{path}: missing, the run is not complete") from error
        found = {name: (array.dtype, *array.shape) for name, array in arrays.items()}
        fits = record == self.record and found == self.layout(arrays)
        if not fits or not self.are_sound(arrays):
            raise InputError(f"{path}: not the weights of this run's model")
        vars(self).update(arrays)

    def are_sound(self, arrays):
        """Whether arrays of the right types and sizes can be a model's."""
        return all(np.isfinite(array).all() for array in arrays.values())

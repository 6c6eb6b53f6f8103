"""Linear classifier over features, saved as a file of arrays."""

from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays


class LinearClassifier:
    """Base class of linear classifiers with F features of a pair and K outputs.

    `set_weights` or `load` sets the `kernel` `(F, K)` and the `bias` `(K,)`. Subclasses
    define `features(rows)`, which returns the features `(N, F)` of `ModelRows`, and
    `layout(arrays)`, which returns the expected dtype and shape of each array in a
    file: `{name: (dtype, *shape)}`.
    """

    features: Any
    layout: Any
    record = {}  # metadata in the file of arrays
    logit_type: type = np.float64
    words = "a classifier of features"  # for messages

    def set_weights(self, kernel, bias):
        """Sets the kernel `(F, K)` and the bias `(K,)`."""
        self.kernel, self.bias = kernel, bias

    def logits(self, rows, batch_size=None):
        """Returns the logits `(N, K)` of `ModelRows`, in one batch; `batch_size` is
        ignored."""
        return self.score(self.features(rows))

    def score(self, features):
        """Returns the logits `(N, K)` of features `(N, F)`."""
        return np.asarray(features @ self.kernel + self.bias, self.logit_type)

    def explain(self, inputs):
        """Raises `InputError`: a linear classifier has no attention maps."""
        raise InputError(f"{self.words} has no attention to look at")

    def save(self, path):
        """Writes the learned arrays to a file."""
        arrays = {name: getattr(self, name) for name in self.layout(vars(self))}
        write_arrays(path, arrays, self.record)

    def load(self, path):
        """Loads the arrays that `save` wrote.

        Raises: `InputError` for a missing or damaged file, and for a file of a model
            with other words, features or labels.
        """
        try:
            arrays, record = read_arrays(path, "weights")
        except FileNotFoundError as error:
            raise InputError(f"{path}: missing, the run is not complete") from error
        layout = {name: (array.dtype, *array.shape) for name, array in arrays.items()}
        fits = record == self.record and layout == self.layout(arrays)
        if not fits or not self.are_sound(arrays):
            raise InputError(f"{path}: not the weights of this run's model")
        vars(self).update(arrays)

    def are_sound(self, arrays):
        """Returns whether the values of the arrays are valid; here, finite."""
        return all(np.isfinite(array).all() for array in arrays.values())

"""Linear classifiers over features, saved as files of arrays."""

from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays


class LinearClassifier:
    """Base class of linear classifiers with F features of a pair and K outputs.

    `set_weights` or `load` sets the `kernel` `(F, K)` and the `bias` `(K,)`. Subclasses
    define two methods: `features(rows)` returns the features `(N, F)` of `ModelRows`;
    `layout(arrays)` returns the expected dtype and shape of each array in a file,
    `{name: (dtype, *shape)}`.

    Attributes:
        record: metadata in the file of arrays.
        logit_type: dtype of the logits.
        description: noun phrase for messages.
    """

    features: Any
    layout: Any
    record = {}
    logit_type: type = np.float64
    description = "a classifier of features"

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
        """Raises `InputError`, since a linear classifier has no attention maps."""
        raise InputError(f"{self.description} has no attention maps")

    def save(self, path):
        """Writes the learned arrays to a file."""
        arrays = {name: getattr(self, name) for name in self.layout(vars(self))}
        write_arrays(path, arrays, self.record)

    def load(self, path):
        """Loads the arrays from a file that `save` wrote.

        Raises: `InputError` for a missing or damaged file, and for the file of a model
            with different words, features or labels.
        """
        try:
            arrays, record = read_arrays(path, "weights")
        except FileNotFoundError as error:
            raise InputError(f"{path}: missing, the run is not complete") from error
        layout = {name: (array.dtype, *array.shape) for name, array in arrays.items()}
        is_compatible = record == self.record and layout == self.layout(arrays)
        if not is_compatible or not self.are_valid(arrays):
            raise InputError(f"{path}: not the weights of this run's model")
        vars(self).update(arrays)

    def are_valid(self, arrays):
        """Returns whether the values of the arrays are valid: all are finite."""
        return all(np.isfinite(array).all() for array in arrays.values())

"""Linear classifiers over the features of a pair, saved as NumPy arrays."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays

if TYPE_CHECKING:
    from dsa.data.rows.model_rows import ModelRows


class LinearClassifier:
    """Base class of linear classifiers with F features of a pair and K outputs.

    `set_weights` or `load` sets the weights `kernel` `(F, K)` and `bias` `(K,)`.

    Subclasses define two methods. `features(rows)` computes the features `(N, F)` of
    `ModelRows`. `layout(arrays)` returns the expected dtype and shape of each array in
    a saved file, `{name: (dtype, *shape)}`.

    Attributes:
        metadata: JSON object that `save` adds to the file and `load` compares.
        logit_type: dtype of the logits.
        description: description of the classifier, used in messages.
    """

    features: Any
    layout: Any
    metadata: dict[str, Any] = {}
    logit_type: type = np.float64
    description = "a classifier of features"

    def set_weights(self, kernel: np.ndarray, bias: np.ndarray) -> None:
        """Sets the kernel `(F, K)` and the bias `(K,)`."""
        self.kernel = kernel
        self.bias = bias

    def logits(self, rows: "ModelRows", batch_size: int | None = None) -> np.ndarray:
        """Computes the logits `(N, K)` of `ModelRows` in a single batch. `batch_size`
        has no effect."""
        return self.score(self.features(rows))

    def score(self, features: Any) -> np.ndarray:
        """Computes the logits `(N, K)` from features `(N, F)`."""
        return np.asarray(features @ self.kernel + self.bias, self.logit_type)

    def explain(self, inputs: Any) -> NoReturn:
        """Raises `InputError`, because linear classifiers have no attention maps."""
        raise InputError(f"{self.description} has no attention maps")

    def save(self, path: Path) -> None:
        """Writes the fitted arrays to a file."""
        arrays = {name: getattr(self, name) for name in self.layout(vars(self))}
        write_arrays(path, arrays, self.metadata)

    def load(self, path: Path) -> None:
        """Loads the arrays from a file written by `save`.

        Raises: `InputError` if the file is missing or damaged, or belongs to a model
            with other words, features or labels.
        """
        try:
            arrays, metadata = read_arrays(path, "weights")
        except FileNotFoundError as error:
            raise InputError(f"{path} is missing, so the run is incomplete") from error
        layout = {name: (array.dtype, *array.shape) for name, array in arrays.items()}
        is_compatible = metadata == self.metadata and layout == self.layout(arrays)
        if not is_compatible or not self.are_valid(arrays):
            raise InputError(f"{path} does not contain the weights of this run's model")
        vars(self).update(arrays)

    def are_valid(self, arrays: dict[str, np.ndarray]) -> bool:
        """Returns whether all values of the arrays are finite."""
        return all(np.isfinite(array).all() for array in arrays.values())

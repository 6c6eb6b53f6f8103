"""Softmax in NumPy.

`scipy.special` is not used, because importing it takes longer than loading a released
model.
"""

import numpy as np


def softmax(logits: np.ndarray, axis: int = -1) -> np.ndarray:
    """Returns the softmax of logits along an axis, in the precision of the logits.

    Example:
        >>> softmax(np.array([0.0, np.log(3.0)])).round(2).tolist()
        [0.25, 0.75]
    """
    exponentials = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)

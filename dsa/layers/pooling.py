"""Pooling of tokens to one vector, without weights."""

import keras
from keras import ops


def max_pool(x, mask=None):
    """`m = max_i x_i` over real tokens: `(B, L, D)` and `(B, L)` bool to `(B, D)`.

    Padding never wins, also against negative features. A sentence of padding alone
    gives a large negative number.

    Reference: Im & Cho 2017, section 4.2.5, last paragraph.
    """
    return ops.max(_without_padding(x, mask), axis=1)


def max_pool_winners(x, mask=None):
    """Which token each feature of `max_pool` comes from: `(B, D)`, int positions."""
    return ops.argmax(_without_padding(x, mask), axis=1)


def _without_padding(x, mask):
    if mask is None:
        return x
    lowest = -3e4 if keras.backend.standardize_dtype(x.dtype) == "float16" else -1e38
    return ops.where(mask[:, :, None], x, ops.cast(lowest, x.dtype))

"""Pooling of tokens to one vector, without weights."""

import keras
from keras import ops


def mean_pool(x, mask=None):
    """The mean of `x_i` over real tokens: `(B, L, D)` and `(B, L)` bool to `(B, D)`.

    A sentence of padding alone gives 0.
    """
    if mask is None:
        return ops.mean(x, axis=1)
    total = ops.sum(ops.where(mask[:, :, None], x, 0), axis=1)
    count = ops.sum(ops.cast(mask, "int32"), axis=1, keepdims=True)
    return total / ops.cast(ops.maximum(count, 1), x.dtype)


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

"""Mean, sum and max pooling of token vectors."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape


def mean_pool(x: Tensor, mask: Mask = None) -> Tensor:
    """Computes the mean over the real tokens, from `x` `(B, L, D)` to `(B, D)`.

    The mean of a sentence that consists of padding is 0.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [100.0]]])
        >>> mask = ops.array([[True, True, False]])
        >>> ops.convert_to_numpy(mean_pool(x, mask)).tolist()
        [[2.0]]
    """
    if mask is None:
        return ops.mean(x, axis=1)
    total = ops.sum(clear_padding(x, mask), axis=1)
    count = ops.sum(ops.cast(mask, "int32"), axis=1, keepdims=True)
    return total / ops.cast(ops.maximum(count, 1), x.dtype)


def max_pool(x: Tensor, mask: Mask = None) -> Tensor:
    """Computes the maximum over the real tokens, from `x` `(B, L, D)` to `(B, D)`.

    Padding is ignored, also if all features are negative. The maximum of a sentence
    that consists of padding is a large negative number.

    Reference: Im & Cho 2017, section 4.2.5, last paragraph.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [100.0]]])
        >>> mask = ops.array([[True, True, False]])
        >>> ops.convert_to_numpy(max_pool(x, mask)).tolist()
        [[3.0]]
    """
    return ops.max(_lower_padding(x, mask), axis=1)


def max_pool_positions(x: Tensor, mask: Mask = None) -> Tensor:
    """Returns the arg max of `max_pool`: token positions `(B, D)`, one per feature."""
    return ops.argmax(_lower_padding(x, mask), axis=1)


def make_max_pooling_map(x: Tensor, mask: Mask = None) -> TokenMap:
    """Returns the `TokenMap` of `max_pool_positions`."""
    return TokenMap(
        "max_pooling",
        MapKind.WINNING_TOKEN,
        max_pool_positions(x, mask),
        label="share of max-pooled features",
    )


def _lower_padding(x, mask):
    """Replaces padding by a large negative number."""
    if mask is None:
        return x
    is_float16 = keras.backend.standardize_dtype(x.dtype) == "float16"
    lowest = -3e4 if is_float16 else -1e38
    return ops.where(mask[:, :, None], x, ops.cast(lowest, x.dtype))


def _float_mask(x, mask):
    """Returns the mask as float32 `(B, L)`: 1 at real tokens, 0 at padding."""
    if mask is None:
        return ops.ones(tensor_shape(x)[:2])
    return ops.cast(mask, "float32")


class Pooling(MaskedLayer):
    """Base class of layers that pool tokens `(B, L, D)` to one vector `(B, D)`."""

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])


@keras.saving.register_keras_serializable(package="dsa")
class MeanPooling(Pooling):
    """Mean pooling over real tokens, see `mean_pool`.

    Call arguments (in addition to those of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, D)`. `TokenMap`: `mean_pooling` `(B, L)`, the weight of each
        token, 1 / length.
    """

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        pooled = mean_pool(x, mask)
        if not return_attention:
            return pooled
        # (B, L)
        float_mask = _float_mask(x, mask)
        count = ops.sum(float_mask, axis=1, keepdims=True)
        weights = float_mask / ops.maximum(count, 1)
        return pooled, [TokenMap("mean_pooling", MapKind.TOKEN, weights)]


@keras.saving.register_keras_serializable(package="dsa")
class SumPooling(Pooling):
    """Sum pooling over real tokens.

    Call arguments: see `MeanPooling`.

    Returns: tensor `(B, D)`. `TokenMap`: `sum_pooling` `(B, L)`, 1 for every real
        token.

    Reference: Williams et al. 2018, section 4, "CBOW".
    """

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        pooled = ops.sum(clear_padding(x, mask), axis=1)
        if not return_attention:
            return pooled
        weights = _float_mask(x, mask)
        return pooled, [TokenMap("sum_pooling", MapKind.TOKEN, weights)]


@keras.saving.register_keras_serializable(package="dsa")
class MaxPooling(Pooling):
    """Max pooling over real tokens, see `max_pool`.

    Call arguments: see `MeanPooling`.

    Returns: tensor `(B, D)`. `TokenMap`: `max_pooling` `(B, D)`, see
        `max_pool_positions`.
    """

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        pooled = max_pool(x, mask)
        if not return_attention:
            return pooled
        return pooled, [make_max_pooling_map(x, mask)]

"""Mean, sum and max pooling of token vectors."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape


def mean_pool(x: Tensor, mask: Mask = None) -> Tensor:
    """Computes the mean over the real tokens: maps `x` `(B, L, D)` to `(B, D)`.

    The mean of a sentence without real tokens is 0.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [100.0]]])
        >>> mask = ops.array([[True, True, False]])
        >>> ops.convert_to_numpy(mean_pool(x, mask)).tolist()
        [[2.0]]
    """
    if mask is None:
        return ops.mean(x, axis=1)
    total = ops.sum(clear_padding(x, mask), axis=1)
    num_tokens = ops.sum(ops.cast(mask, "int32"), axis=1, keepdims=True)
    return total / ops.cast(ops.maximum(num_tokens, 1), x.dtype)


def max_pool(x: Tensor, mask: Mask = None) -> Tensor:
    """Computes the maximum over the real tokens: maps `x` `(B, L, D)` to `(B, D)`.

    Padding is ignored even if all features are negative. The maximum of a sentence
    without real tokens is a large negative number.

    Reference: Im & Cho 2017, section 4.2.5, last paragraph.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [100.0]]])
        >>> mask = ops.array([[True, True, False]])
        >>> ops.convert_to_numpy(max_pool(x, mask)).tolist()
        [[3.0]]
    """
    return ops.max(_fill_padding_with_minimum(x, mask), axis=1)


def max_pool_positions(x: Tensor, mask: Mask = None) -> Tensor:
    """Returns the token position of the maximum of each feature, `(B, D)`."""
    return ops.argmax(_fill_padding_with_minimum(x, mask), axis=1)


def make_max_pooling_map(x: Tensor, mask: Mask = None) -> TokenMap:
    """Returns the `TokenMap` of `max_pool_positions`."""
    return TokenMap(
        "max_pooling",
        MapKind.WINNING_TOKEN,
        max_pool_positions(x, mask),
        label="share of max-pooled features",
    )


def _fill_padding_with_minimum(x: Tensor, mask: Mask) -> Tensor:
    """Replaces padding by a large negative number."""
    if mask is None:
        return x
    is_float16 = keras.backend.standardize_dtype(x.dtype) == "float16"
    minimum = -3e4 if is_float16 else -1e38
    return ops.where(mask[:, :, None], x, ops.cast(minimum, x.dtype))


def _make_float_mask(x: Tensor, mask: Mask) -> Tensor:
    """Converts the mask to float32 `(B, L)`: 1 at real tokens, 0 at padding."""
    if mask is None:
        return ops.ones(tensor_shape(x)[:2])
    return ops.cast(mask, "float32")


class Pooling(MaskedLayer):
    """Base class of layers that pool tokens `(B, L, D)` to a vector `(B, D)`."""

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])


@keras.saving.register_keras_serializable(package="dsa")
class MeanPooling(Pooling):
    """Mean pooling over real tokens, see `mean_pool`.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `mean_pooling` `(B, L)`: the weight of each token, 1 / number of real
        tokens.
    """

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        pooled = mean_pool(x, mask)
        if not return_attention:
            return pooled
        # (B, L)
        float_mask = _make_float_mask(x, mask)
        num_tokens = ops.sum(float_mask, axis=1, keepdims=True)
        weights = float_mask / ops.maximum(num_tokens, 1)
        return pooled, [TokenMap("mean_pooling", MapKind.TOKEN, weights)]


@keras.saving.register_keras_serializable(package="dsa")
class SumPooling(Pooling):
    """Sum pooling over real tokens.

    Call arguments: see `MeanPooling`.

    Returns: tensor `(B, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `sum_pooling` `(B, L)`: 1 at real tokens, 0 at padding.

    Reference: Williams et al. 2018, section 4, "CBOW".
    """

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        pooled = ops.sum(clear_padding(x, mask), axis=1)
        if not return_attention:
            return pooled
        weights = _make_float_mask(x, mask)
        return pooled, [TokenMap("sum_pooling", MapKind.TOKEN, weights)]


@keras.saving.register_keras_serializable(package="dsa")
class MaxPooling(Pooling):
    """Max pooling over real tokens, see `max_pool`.

    Call arguments: see `MeanPooling`.

    Returns: tensor `(B, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `max_pooling` `(B, D)`, see `max_pool_positions`.
    """

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        pooled = max_pool(x, mask)
        if not return_attention:
            return pooled
        return pooled, [make_max_pooling_map(x, mask)]

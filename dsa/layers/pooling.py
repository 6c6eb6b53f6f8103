"""Pooling of tokens to one vector, without trained weights."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import Mask, MaskedLayer, Tensor, tensor_shape


def mean_pool(x: Tensor, mask: Mask = None) -> Tensor:
    """The mean of `x_i` over real tokens: `(B, L, D)` and `(B, L)` bool to `(B, D)`.

    A sentence of only padding gives 0.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [100.0]]])
        >>> mask = ops.array([[True, True, False]])
        >>> ops.convert_to_numpy(mean_pool(x, mask)).tolist()
        [[2.0]]
    """
    if mask is None:
        return ops.mean(x, axis=1)
    total = ops.sum(ops.where(mask[:, :, None], x, 0), axis=1)
    count = ops.sum(ops.cast(mask, "int32"), axis=1, keepdims=True)
    return total / ops.cast(ops.maximum(count, 1), x.dtype)


def max_pool(x: Tensor, mask: Mask = None) -> Tensor:
    """`m = max_i x_i` over real tokens: `(B, L, D)` and `(B, L)` bool to `(B, D)`.

    Padding never wins, also against negative features. A sentence of only
    padding gives a large negative number.

    Reference: Im & Cho 2017, section 4.2.5, last paragraph.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [100.0]]])
        >>> mask = ops.array([[True, True, False]])
        >>> ops.convert_to_numpy(max_pool(x, mask)).tolist()
        [[3.0]]
    """
    return ops.max(_hide_padding(x, mask), axis=1)


def find_max_pool_winners(x: Tensor, mask: Mask = None) -> Tensor:
    """The position of the token that each feature of `max_pool` is of: `(B, D)`."""
    return ops.argmax(_hide_padding(x, mask), axis=1)


def make_max_pooling_map(x: Tensor, mask: Mask = None) -> TokenMap:
    """`find_max_pool_winners` as a `TokenMap`."""
    return TokenMap(
        "max_pooling",
        MapKind.WINNING_TOKEN,
        find_max_pool_winners(x, mask),
        label="share of max-pooled features",
    )


def _hide_padding(x, mask):
    if mask is None:
        return x
    lowest = -3e4 if keras.backend.standardize_dtype(x.dtype) == "float16" else -1e38
    return ops.where(mask[:, :, None], x, ops.cast(lowest, x.dtype))


def _mark_real(x, mask):
    """1 at real tokens, 0 at padding: float32 `(B, L)`."""
    return ops.ones(tensor_shape(x)[:2]) if mask is None else ops.cast(mask, "float32")


class Pooling(MaskedLayer):
    """A layer of tokens `(B, L, D)` to one vector `(B, D)`."""

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])


@keras.saving.register_keras_serializable(package="dsa")
class MeanPooling(Pooling):
    """`mean_pool` as the pooling of an encoder.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, D)`. `TokenMap`: `mean_pooling` `(B, L)`: each token's
        weight, 1 / length.
    """

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        pooled = mean_pool(x, mask)
        if not return_attention:
            return pooled
        real = _mark_real(x, mask)
        weights = real / ops.maximum(ops.sum(real, axis=1, keepdims=True), 1)
        return pooled, [TokenMap("mean_pooling", MapKind.TOKEN, weights)]


@keras.saving.register_keras_serializable(package="dsa")
class SumPooling(Pooling):
    """The sum of `x_i` over real tokens, as the pooling of an encoder.

    Call arguments: as `MeanPooling`.

    Returns: tensor `(B, D)`. `TokenMap`: `sum_pooling` `(B, L)`: 1 for every real
        token.

    Reference: Williams et al. 2018, section 4, "CBOW".
    """

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        pooled = ops.sum(x if mask is None else ops.where(mask[..., None], x, 0), 1)
        if not return_attention:
            return pooled
        real = _mark_real(x, mask)
        return pooled, [TokenMap("sum_pooling", MapKind.TOKEN, real)]


@keras.saving.register_keras_serializable(package="dsa")
class MaxPooling(Pooling):
    """`max_pool` as the pooling of an encoder.

    Call arguments: as `MeanPooling`.

    Returns: tensor `(B, D)`. `TokenMap`: `max_pooling` `(B, D)`:
        `find_max_pool_winners`.
    """

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        pooled = max_pool(x, mask)
        return (pooled, [make_max_pooling_map(x, mask)]) if return_attention else pooled

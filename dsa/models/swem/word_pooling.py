"""SWEM's layer that each word goes through, and its poolings besides the mean and the
maximum: both, and over windows."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap, call_layer
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.pooling import (
    MaxPooling,
    MeanPooling,
    Pooling,
    max_pool,
    max_pool_positions,
)

FIRST_BIAS = 0.001  # of the released code


@keras.saving.register_keras_serializable(package="dsa")
class WordLayer(MaskedLayer):
    """`relu(Dropout(x) W + b)`, each token by itself.

    Args:
        units: U, features of a token afterwards.
        dropout: dropped share of x.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`, word vectors.

    Returns: tensor `(B, L, U)`.

    Reference: Shen et al. 2018, section 4; the released `eval_snli_emb.py`.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(WordLayer(6)(x).shape)
        (2, 5, 6)
    """

    def __init__(
        self, units: int, dropout: float = 0.0, seed: int | None = None, **kwargs: Any
    ):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = self.make_dropout()
        first_bias = keras.initializers.Constant(FIRST_BIAS)
        options = {"activation": "relu", "bias_initializer": first_bias}
        self.dense = self.build_part(
            keras.layers.Dense, "dense", input_shape, self.units, **options
        )

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        x = self.dense(self.drop(x, training=training))
        return (x, []) if return_attention else x

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)


@keras.saving.register_keras_serializable(package="dsa")
class AverageMaxPooling(MaskedLayer):
    """`[mean_i x_i; max_i x_i]` over real tokens, SWEM-concat.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, 2 D)`. `TokenMap`s: those of `MeanPooling` and `MaxPooling`.

    Reference: Shen et al. 2018, section 3.2, "SWEM-concat".

    Example:
        >>> tuple(AverageMaxPooling()(ops.ones((2, 5, 8))).shape)
        (2, 16)
    """

    def build(self, input_shape):
        self.poolings = [
            MeanPooling(dtype=self.dtype_policy, name="mean_pooling"),
            MaxPooling(dtype=self.dtype_policy, name="max_pooling"),
        ]

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        # (B, D) each
        pooled = [call_layer(pooling, maps, x, mask=mask) for pooling in self.poolings]
        vector = ops.concatenate(pooled, axis=-1)
        return (vector, maps) if return_attention else vector

    def compute_output_shape(self, input_shape):
        return (input_shape[0], 2 * input_shape[-1])


def average_windows(x: Tensor, mask: Mask, window: int) -> tuple[Tensor, Tensor]:
    """The averages of `x` over windows of tokens, each beginning at another token.

    Args:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token, padding on the right; `None` if
            all are.
        window: tokens of a window.

    Returns: the averages `(B, L, D)` by first token, and a bool tensor `(B, L)`: True
        where a window of real tokens begins. A sentence that is shorter than a window
        is one window.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [7.0]]])
        >>> averages, begins = average_windows(x, None, 2)
        >>> ops.convert_to_numpy(averages)[0, :2, 0].tolist()
        [2.0, 5.0]
        >>> ops.convert_to_numpy(begins).tolist()
        [[True, True, False]]
    """
    length = tensor_shape(x)[1]
    is_real: Any = mask
    if mask is None:
        is_real = ops.ones(tensor_shape(x)[:2], dtype="bool")
    x = ops.where(is_real[:, :, None], x, 0)
    # (B, L + window - 1, D) and (B, L + window - 1)
    words = ops.pad(x, ((0, 0), (0, window - 1), (0, 0)))
    real = ops.pad(ops.cast(is_real, "int32"), ((0, 0), (0, window - 1)))
    total = sum(words[:, place : place + length] for place in range(window))
    count = sum(real[:, place : place + length] for place in range(window))
    averages = total / ops.cast(ops.maximum(count, 1), x.dtype)[:, :, None]
    is_first = ops.equal(ops.arange(length), 0)
    return averages, ops.logical_or(ops.equal(count, window), is_first)


@keras.saving.register_keras_serializable(package="dsa")
class HierarchicalPooling(Pooling):
    """The maximum, feature by feature, of the averages of all windows, SWEM-hier.

        s = max_i mean(x_i, ..., x_(i + n - 1))

    Unlike a mean or a maximum of words, it sees which words are near each other.

    Args:
        window: n, tokens of a window. A shorter sentence is one window.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, D)`. `TokenMap`: `window_pooling` `(B, D)`, over windows.

    Reference: Shen et al. 2018, section 3.2, "Hierarchical pooling".

    Example:
        >>> tuple(HierarchicalPooling(3)(ops.ones((2, 5, 8))).shape)
        (2, 8)
    """

    def __init__(self, window: int = 5, **kwargs: Any):
        super().__init__(**kwargs)
        self.window = window

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        # (B, L, D) and (B, L)
        averages, begins = average_windows(x, mask, self.window)
        pooled = max_pool(averages, begins)
        if not return_attention:
            return pooled
        # a `TokenMap` counts windows by their last token
        winners = max_pool_positions(averages, begins) + self.window - 1
        return pooled, [
            TokenMap(
                "window_pooling",
                MapKind.WINNING_TOKEN,
                winners,
                label=f"share of features of the best window of {self.window} words",
                window=self.window,
            )
        ]

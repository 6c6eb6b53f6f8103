"""Word layer, concatenated pooling and hierarchical pooling of SWEM."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.attention_maps import call_layer
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.pooling import (
    MaxPooling,
    MeanPooling,
    Pooling,
    max_pool,
    max_pool_positions,
)

INITIAL_BIAS = 0.001  # as in the released code


@keras.saving.register_keras_serializable(package="dsa")
class WordLayer(MaskedLayer):
    """Dense layer with ReLU and input dropout: `relu(Dropout(x) W + b)`.

    Operates on each token independently.

    Args:
        units: U, number of output features per token.
        dropout: dropout rate of x.
        seed: seed of the dropout layer; `None` for unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
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
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        self.dense = keras.layers.Dense(
            self.units,
            activation="relu",
            bias_initializer=keras.initializers.Constant(INITIAL_BIAS),
            dtype=self.dtype_policy,
            name="dense",
        )
        self.dense.build(input_shape)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        x = clear_padding(x, mask)
        x = self.dense(self.drop(x, training=training))
        return (x, []) if return_attention else x

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)


@keras.saving.register_keras_serializable(package="dsa")
class AverageMaxPooling(MaskedLayer):
    """Concatenated mean and max pooling over real tokens: `[mean_i x_i; max_i x_i]`.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, 2 D)`. With `return_attention=True`, also a list with the
        `TokenMap`s of `MeanPooling` and `MaxPooling`.

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

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        # (B, D) each
        pooled = [call_layer(pooling, maps, x, mask=mask) for pooling in self.poolings]
        vector = ops.concatenate(pooled, axis=-1)
        return (vector, maps) if return_attention else vector

    def compute_output_shape(self, input_shape):
        return (input_shape[0], 2 * input_shape[-1])


def average_windows(x: Tensor, mask: Mask, window: int) -> tuple[Tensor, Tensor]:
    """Averages the tokens of each window of consecutive tokens.

    Args:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token, padding on the right; `None` if
            all tokens are real.
        window: number of tokens in a window.

    Returns: tuple of the averages, tensor `(B, L, D)`, indexed by the first token of
        the window, and a bool tensor `(B, L)`, True if all tokens of the window are
        real. A sentence that is shorter than a window is a single window.

    Example:
        >>> x = ops.array([[[1.0], [3.0], [7.0]]])
        >>> averages, is_window = average_windows(x, None, 2)
        >>> ops.convert_to_numpy(averages)[0, :2, 0].tolist()
        [2.0, 5.0]
        >>> ops.convert_to_numpy(is_window).tolist()
        [[True, True, False]]
    """
    length = tensor_shape(x)[1]
    token_mask: Any = mask
    if mask is None:
        token_mask = ops.ones(tensor_shape(x)[:2], dtype="bool")
    # (B, L + window - 1, D) and (B, L + window - 1)
    words = ops.pad(
        ops.where(token_mask[:, :, None], x, 0), ((0, 0), (0, window - 1), (0, 0))
    )
    ones = ops.pad(ops.cast(token_mask, "int32"), ((0, 0), (0, window - 1)))
    # (B, L, D) and (B, L): sum and number of the real tokens in each window
    total = sum(words[:, start : start + length] for start in range(window))
    count = sum(ones[:, start : start + length] for start in range(window))
    averages = total / ops.cast(ops.maximum(count, 1), x.dtype)[:, :, None]
    is_first = ops.equal(ops.arange(length), 0)
    return averages, ops.logical_or(ops.equal(count, window), is_first)


@keras.saving.register_keras_serializable(package="dsa")
class HierarchicalPooling(Pooling):
    """Hierarchical pooling: the maximum over the averages of all windows (SWEM-hier).

        s = max_i mean(x_i, ..., x_(i + n - 1))

    Unlike mean and max pooling, hierarchical pooling depends on the word order.

    Args:
        window: n, number of tokens in a window. A shorter sentence is a single window.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `window_pooling` `(B, D)`, the position of the selected window for
        each feature.

    Reference: Shen et al. 2018, section 3.2, "Hierarchical pooling".

    Example:
        >>> tuple(HierarchicalPooling(3)(ops.ones((2, 5, 8))).shape)
        (2, 8)
    """

    def __init__(self, window: int = 5, **kwargs: Any):
        super().__init__(**kwargs)
        self.window = window

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, D) and (B, L)
        averages, is_window = average_windows(x, mask, self.window)
        # (B, D)
        pooled = max_pool(averages, is_window)
        if not return_attention:
            return pooled
        # a `TokenMap` indexes windows by their last token
        winners = max_pool_positions(averages, is_window) + self.window - 1
        return pooled, [
            TokenMap(
                "window_pooling",
                MapKind.WINNING_TOKEN,
                winners,
                label=f"share of features of the best window of {self.window} words",
                window=self.window,
            )
        ]

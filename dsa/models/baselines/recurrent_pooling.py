"""Pooling layers of the recurrent baselines: last state and inner attention."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding
from dsa.layers.pooling import Pooling, mean_pool

CELLS = ("lstm", "gru")


@keras.saving.register_keras_serializable(package="dsa")
class LastState(MaskedLayer):
    """Last state of an LSTM or GRU over `Dropout(x)`.

    The last state is the state after the last real token, so padding does not change
    it.

    Args:
        cell: "lstm" or "gru".
        units: integer, number of features of the state.
        dropout: dropout rate of x.
        seed: seed of the dropout layer; `None` for unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, units)`.

    Raises: `ValueError` if `cell` is unknown.

    Reference: Bowman et al. 2016 (arXiv:1603.06021), the 300-d LSTM; Vendrov et al.
    2016 (arXiv:1511.06361), the 1024-d GRU.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(LastState("gru", 3)(x).shape)
        (2, 3)
    """

    def __init__(
        self,
        cell: str,
        units: int,
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("cell", cell, CELLS)
        self.cell = cell
        self.units = units
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        if self.cell == "lstm":
            self.recurrent = keras.layers.LSTM(
                self.units, dtype=self.dtype_policy, name="lstm"
            )
        else:
            self.recurrent = keras.layers.GRU(
                self.units, dtype=self.dtype_policy, name="gru"
            )
        self.recurrent.build(input_shape)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, D)
        x = self.drop(clear_padding(x, mask), training=training)
        # (B, units)
        state = self.recurrent(x, mask=mask, training=training)
        return (state, []) if return_attention else state

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.units)


@keras.saving.register_keras_serializable(package="dsa")
class InnerAttention(Pooling):
    """Inner attention pooling: the mean state attends to all states.

        m_l = tanh(W_y y_l + W_h mean(y))
        a = softmax_l(w . m_l)
        s = sum_l a_l y_l

    Padding has weight 0.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: y, tensor `(B, L, D)`, such as the states of a Bi-LSTM.

    Returns: s, tensor `(B, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `inner_attention`: a, float32 `(B, L)`.

    Reference: Liu et al. 2016 (arXiv:1605.09090), section 2.2.2, equations 2 to 4.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(InnerAttention()(x).shape)
        (2, 8)
    """

    def build(self, input_shape):
        # W_y, W_h and w. Saved weights contain these attribute names in their paths.
        self.of_state = keras.layers.Dense(
            input_shape[-1], use_bias=False, dtype=self.dtype_policy, name="of_state"
        )
        self.of_state.build(input_shape)
        self.of_mean = keras.layers.Dense(
            input_shape[-1], use_bias=False, dtype=self.dtype_policy, name="of_mean"
        )
        self.of_mean.build((input_shape[0], input_shape[-1]))
        self.score = keras.layers.Dense(
            1, use_bias=False, dtype=self.dtype_policy, name="score"
        )
        self.score.build(input_shape)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, D): y
        y = clear_padding(x, mask)
        # (B, 1, D): W_h mean(y)
        projected_mean = self.of_mean(mean_pool(y, mask))[:, None]
        # (B, L, D)
        m = ops.tanh(self.of_state(y) + projected_mean)
        # (B, L): a
        attention = self.softmax(self.score(m)[..., 0], mask=mask)
        # (B, D): s
        vector = ops.sum(ops.cast(attention, y.dtype)[..., None] * y, axis=1)
        if not return_attention:
            return vector
        return vector, [TokenMap("inner_attention", MapKind.TOKEN, attention)]

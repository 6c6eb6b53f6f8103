"""Poolings of the recurrent baselines: the last state, and inner attention, which knows
the mean of the sentence."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding
from dsa.layers.pooling import Pooling, mean_pool

CELLS = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}


@keras.saving.register_keras_serializable(package="dsa")
class LastState(MaskedLayer):
    """The state of an LSTM or GRU, Keras's own cells, after the last real token of
    `Dropout(x)`.

    Args:
        cell: "lstm" or "gru".
        units: U, features of the state.
        dropout: dropped share of x.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, U)`.

    Raises: `ValueError` for an unknown cell.

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
        self.drop = self.make_dropout()
        form = CELLS[self.cell]
        self.recurrent = self.build_part(form, self.cell, input_shape, self.units)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        x = self.drop(x, training=training)
        state = self.recurrent(x, mask=mask, training=training)
        return (state, []) if return_attention else state

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.units)


@keras.saving.register_keras_serializable(package="dsa")
class InnerAttention(Pooling):
    """`s = sum_l a_l y_l`, where the mean of the states looks at each of them.

        m_l = tanh(W_y y_l + W_h mean(y));  a = softmax_l(w . m_l)

    Call arguments, beside those of `MaskedLayer`:
        x: y, tensor `(B, L, D)`, such as a Bi-LSTM's states.

    Returns: s, tensor `(B, D)`. `TokenMap`: `inner_attention` `(B, L)`.

    Reference: Liu et al. 2016 (arXiv:1605.09090), section 2.2.2, equations 2 to 4.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(InnerAttention()(x).shape)
        (2, 8)
    """

    def build(self, input_shape):
        def linear(name, shape, units=input_shape[-1]):
            form = keras.layers.Dense
            return self.build_part(form, name, shape, units, use_bias=False)

        self.of_state = linear("of_state", input_shape)
        self.of_mean = linear("of_mean", (input_shape[0], input_shape[-1]))
        self.score = linear("score", input_shape, 1)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        mean = self.of_mean(mean_pool(x, mask))[:, None]  # (B, 1, D)
        scores = self.score(ops.tanh(self.of_state(x) + mean))[..., 0]  # (B, L)
        weights = self.softmax(scores, mask=mask)
        pooled = ops.sum(ops.cast(weights, x.dtype)[..., None] * x, axis=1)
        if not return_attention:
            return pooled
        return pooled, [TokenMap("inner_attention", MapKind.TOKEN, weights)]

"""The last state of a recurrent layer as a sentence vector."""

import keras
from keras import ops

from dsa.layers.masks import MaskedLayer

CELLS = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}


@keras.saving.register_keras_serializable(package="dsa")
class LastState(MaskedLayer):
    """The state of an LSTM or GRU, Keras's own cells, after the last real token of
    `Dropout(x)`.

    Args:
        cell: "lstm" or "gru".
        units: U, features of the state.
        dropout: dropped share of x.
        seed: seed of the dropout; `None` for an unseeded one.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token, padding on the right; `None` if
            all are.
        return_attention: whether to return what the layer looked at as well: nothing.

    Returns: tensor `(B, U)`; with `return_attention` a pair of it and an empty list.

    Raises: `ValueError` for an unknown cell.

    Reference: Bowman et al. 2016 (arXiv:1603.06021), the 300-d LSTM; Vendrov et al.
    2016 (arXiv:1511.06361), the 1024-d GRU.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(LastState("gru", 3)(x).shape)
        (2, 3)
    """

    def __init__(self, cell, units, dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        if cell not in CELLS:
            raise ValueError(f"`cell` must be one of {tuple(CELLS)}. Received: {cell}")
        self.cell = cell
        self.units = units
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        self.recurrent = CELLS[self.cell](
            self.units, dtype=self.dtype_policy, name=self.cell
        )
        self.recurrent.build(input_shape)

    def call(self, x, mask=None, training=None, return_attention=False):
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(mask[:, :, None], x, 0)
        x = self.drop(x, training=training)
        state = self.recurrent(x, mask=mask, training=training)
        return (state, []) if return_attention else state

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.units)

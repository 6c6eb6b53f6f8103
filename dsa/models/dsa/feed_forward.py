"""DSA's feed-forward block, the Transformer's with layer normalisation."""

from typing import Any

import keras
from keras import ops
from keras.layers import Dense

from dsa.layers.composed_layer import ComposedLayer
from dsa.layers.masks import Tensor


@keras.saving.register_keras_serializable(package="dsa")
class PositionWiseFeedForward(ComposedLayer):
    """`LN(x + Dropout(FFN(x)))` with `FFN(x) = max(0, x W_1 + b_1) W_2 + b_2`.

    Works on each token by itself, so padding cannot leak through it.

    Args:
        hidden_units: features of the hidden layer, d_ff.
        dropout: dropped share of FFN(x).
        layer_norm: `False` leaves out LN.

    Call arguments:
        x: tensor `(B, L, D)`.
        return_hidden: whether to return the hidden layer `max(0, x W_1 + b_1)` as well.

    Returns: tensor `(B, L, D)`; with `return_hidden` a pair of it and the hidden
        layer, `(B, L, hidden_units)`.

    Reference: Im & Cho 2017, section 4.2.4, equation 13, and figure 2.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(PositionWiseFeedForward(32)(x).shape)
        (2, 5, 8)
    """

    def __init__(
        self,
        hidden_units: int,
        dropout: float = 0.0,
        layer_norm: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.hidden_units = hidden_units
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.seed = seed

    def build(self, input_shape):
        hidden_shape = (*input_shape[:-1], self.hidden_units)
        units = self.hidden_units
        self.hidden = self.build_part(Dense, "hidden", input_shape, units, "relu")
        features = input_shape[-1]
        self.residual = self.build_part(Dense, "residual", hidden_shape, features)
        self.drop = self.make_dropout("residual")
        self.norm = None
        if self.layer_norm:
            self.norm = self.build_norm("layer_norm", input_shape)

    def call(self, x: Tensor, training=None, return_hidden=False):
        hidden = self.hidden(x)
        x = x + self.drop(self.residual(hidden), training=training)
        if self.norm is not None:
            x = ops.cast(self.norm(x), self.compute_dtype)
        return (x, hidden) if return_hidden else x

"""Position-wise feed-forward block of DSA."""

from typing import Any

import keras
from keras import ops

from dsa.backends.layer_normalization import LayerNormalization
from dsa.layers.masks import Tensor
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class PositionWiseFeedForward(keras.layers.Layer):
    """Feed-forward block with a residual connection and layer normalization.

        FFN(x) = max(0, x W_1 + b_1) W_2 + b_2
        output = LN(x + Dropout(FFN(x)))

    Operates on each token independently, so padding does not affect real tokens.

    Args:
        hidden_units: integer, number of hidden units, d_ff in the paper.
        dropout: dropout rate of FFN(x).
        layer_norm: whether to apply layer normalization (LN) to the output.
        seed: integer from which the seed of the dropout is derived; `None` for an
            unseeded dropout.

    Call arguments:
        x: tensor `(B, L, D)`.
        return_hidden: whether to also return the hidden layer `max(0, x W_1 + b_1)`.

    Returns: tensor `(B, L, D)`. With `return_hidden=True`, a tuple of this tensor and
        the hidden layer, `(B, L, hidden_units)`.

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
        self.hidden = keras.layers.Dense(
            self.hidden_units,
            activation="relu",
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.hidden.build(input_shape)
        self.residual = keras.layers.Dense(
            input_shape[-1], dtype=self.dtype_policy, name="residual"
        )
        self.residual.build((*input_shape[:-1], self.hidden_units))
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "residual"),
            dtype=self.dtype_policy,
        )
        self.norm = None
        if self.layer_norm:
            self.norm = LayerNormalization(
                epsilon=1e-5, dtype="float32", name="layer_norm"
            )
            self.norm.build(input_shape)

    def call(
        self, x: Tensor, training: bool | None = None, return_hidden: bool = False
    ):
        # (B, L, hidden_units)
        hidden = self.hidden(x)
        # (B, L, D): x + Dropout(FFN(x))
        output = x + self.drop(self.residual(hidden), training=training)
        if self.norm is not None:
            output = ops.cast(self.norm(output), self.compute_dtype)
        return (output, hidden) if return_hidden else output

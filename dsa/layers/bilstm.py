"""Bidirectional LSTM over word vectors."""

from typing import Any

import keras

from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding


@keras.saving.register_keras_serializable(package="dsa")
class BiLSTM(MaskedLayer):
    """Bidirectional LSTM with input dropout.

        x' = Dropout(x)
        output = [LSTM_forward(x'); LSTM_backward(x')]

    Padding does not change the states: the backward direction starts at the last real
    token.

    Args:
        units: integer, number of output features of each direction.
        dropout: dropout rate of x. Both directions share the dropout mask.
        kernel_initializer: initializer of the input matrices, a name or an
            `Initializer`.
        recurrent_initializer: initializer of the recurrent matrices.
        unit_forget_bias: whether the biases of the forget gates start at 1 instead of
            0.
        kernel_regularizer: regularizer of the input matrices; `None` for none.
        recurrent_regularizer: regularizer of the recurrent matrices; `None` for none.
        seed: seed of the dropout; `None` for an unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D_in)`.

    Returns: tensor `(B, L, 2 units)`, 0 at padding.

    Reference: Shen et al. 2018, https://arxiv.org/abs/1709.04696, section 5.1, "Bi-LSTM
    with s2t self-attention".

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(BiLSTM(3)(x).shape)
        (2, 5, 6)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int,
        dropout: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.kernel_initializer = kernel_initializer
        self.recurrent_initializer = recurrent_initializer
        self.unit_forget_bias = unit_forget_bias
        self.kernel_regularizer = kernel_regularizer
        self.recurrent_regularizer = recurrent_regularizer
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        lstm = keras.layers.LSTM(
            self.units,
            kernel_initializer=self.kernel_initializer,
            recurrent_initializer=self.recurrent_initializer,
            unit_forget_bias=self.unit_forget_bias,
            kernel_regularizer=self.kernel_regularizer,
            recurrent_regularizer=self.recurrent_regularizer,
            return_sequences=True,
            dtype=self.dtype_policy,
            name="lstm",
        )
        self.lstm = keras.layers.Bidirectional(
            lstm, dtype=self.dtype_policy, name="bidirectional"
        )
        self.lstm.build(input_shape)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, D_in)
        x = self.drop(clear_padding(x, mask), training=training)
        # (B, L, 2 units): states of both directions
        states = self.lstm(x, mask=mask, training=training)
        states = clear_padding(states, mask)
        return (states, []) if return_attention else states

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units)

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "units": self.units,
            "dropout": self.dropout,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
            "unit_forget_bias": self.unit_forget_bias,
            "kernel_regularizer": serialize(self.kernel_regularizer),
            "recurrent_regularizer": serialize(self.recurrent_regularizer),
            "seed": self.seed,
        }

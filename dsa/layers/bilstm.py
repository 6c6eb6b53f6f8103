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
        cell: dictionary of additional arguments of `keras.layers.LSTM`, such as
            initializers and regularizers; `None` for no additional arguments.
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

    def __init__(
        self,
        units: int,
        dropout: float = 0.0,
        cell: dict[str, Any] | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.cell = cell or {}
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        lstm = keras.layers.LSTM(
            self.units,
            **self.cell,
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
        return {
            **super().get_config(),
            "units": self.units,
            "dropout": self.dropout,
            "cell": {
                name: keras.saving.serialize_keras_object(value)
                for name, value in self.cell.items()
            },
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config):
        cell = {
            name: keras.saving.deserialize_keras_object(value)
            for name, value in config["cell"].items()
        }
        return cls(**{**config, "cell": cell})

"""A bidirectional LSTM over word vectors."""

from typing import Any

import keras
from keras import ops

from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding


@keras.saving.register_keras_serializable(package="dsa")
class BiLSTM(MaskedLayer):
    """`[LSTM forward; LSTM backward](Dropout(x))`, Keras's own cells.

    Padding never reaches a cell's state: the backward direction begins at the last real
    token.

    Args:
        units: features of each direction.
        dropout: dropped share of x, the same for both directions.
        cell: further arguments of Keras's `LSTM`, such as initializers and decay.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D_in)`.

    Returns: tensor `(B, L, 2 units)`, 0 at padding.

    Reference: Shen et al. 2018, section 5.1, "Bi-LSTM with s2t self-attention".

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
        self.drop = self.make_dropout()
        options = {"return_sequences": True, **self.cell, "dtype": self.dtype_policy}
        lstm = keras.layers.LSTM(self.units, **options, name="lstm")
        form = keras.layers.Bidirectional
        self.lstm = self.build_part(form, "bidirectional", input_shape, lstm)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        x = self.lstm(self.drop(x, training=training), mask=mask, training=training)
        if mask is not None:
            x = ops.where(mask[:, :, None], x, 0)
        return (x, []) if return_attention else x

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

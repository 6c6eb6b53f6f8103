"""Layer of the model family, in a module of its own, so that the config does not import
Keras."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer


@keras.saving.register_keras_serializable(package="dsa_tests")
class WeighedWords(MaskedLayer):
    """Weighted sum of word vectors, `W sum_i sigmoid(w x_i) x_i`, without padding.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, `True` for real tokens.

    Returns: tensor `(B, units)`. With `return_attention=True`, also a list with the
        `TokenMap` of the weights.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.weigh = keras.layers.Dense(1, dtype=self.dtype_policy, name="weigh")
        self.map = keras.layers.Dense(units, dtype=self.dtype_policy, name="map")

    def build(self, input_shape):
        self.weigh.build(input_shape)
        self.map.build((input_shape[0], input_shape[-1]))

    def call(self, x, mask=None, training=None, return_attention=False):
        weights = ops.sigmoid(self.weigh(x)[..., 0])  # (B, L)
        if mask is not None:
            weights = ops.where(mask, weights, 0)
        vector = self.map(ops.sum(weights[..., None] * x, axis=1))  # (B, units)
        if not return_attention:
            return vector
        label = "weight of the word"
        return vector, [TokenMap("word_weight", MapKind.TOKEN, weights, label=label)]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.units)

    def get_config(self):
        return {**super().get_config(), "units": self.units}

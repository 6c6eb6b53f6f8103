"""The paper's encoder: words to one vector a sentence."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer, clear_padding


@keras.saving.register_keras_serializable(package="new_paper")
class NewPaperEncoder(MaskedLayer):
    """`s = sum_i a_i tanh(W x_i + b)`, with `a = softmax_i(w x_i + c)`.

    Call arguments: x, word vectors `(B, L, D)`; mask, bool `(B, L)`, True = real token.

    Returns: `(B, units)`; with `return_attention` also the `TokenMap` of a, `(B, L)`.
    """

    def __init__(self, units, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.units, self.seed = units, seed

    def build(self, input_shape):
        dense = keras.layers.Dense
        self.scores = self.build_part(dense, "scores", input_shape, 1)
        self.map = self.build_part(
            dense, "map", input_shape, self.units, activation="tanh"
        )
        self.softmax = keras.layers.Softmax(dtype="float32")

    def call(self, x, mask=None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        weights = self.softmax(self.scores(x)[..., 0], mask=mask)  # (B, L)
        vectors = self.map(x)  # (B, L, units)
        vector = ops.sum(ops.cast(weights, vectors.dtype)[..., None] * vectors, axis=1)
        if not return_attention:
            return vector
        return vector, [TokenMap("word_weight", MapKind.TOKEN, weights, label="weight")]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.units)

    def get_config(self):
        return {**super().get_config(), "units": self.units, "seed": self.seed}

"""Sentence encoder of the paper."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer, clear_padding


@keras.saving.register_keras_serializable(package="new_paper")
class NewPaperEncoder(MaskedLayer):
    """Attention pooling of transformed words.

        a = softmax_i(w x_i + c)
        s = sum_i a_i tanh(W Dropout(x_i) + b)

    Padding gets weight 0.

    Args:
        units: features of the sentence vector.
        dropout: dropout rate of the word vectors.
        seed: seed of the dropout.

    Call arguments:
        x: word vectors, tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token.

    Returns: s, tensor `(B, units)`; with `return_attention` a tuple of s and a list
        with the `TokenMap` of a, `(B, L)`.
    """

    def __init__(self, units, dropout, seed, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        self.scores = keras.layers.Dense(1, dtype=self.dtype_policy, name="scores")
        self.scores.build(input_shape)
        self.values = keras.layers.Dense(
            self.units, activation="tanh", dtype=self.dtype_policy, name="values"
        )
        self.values.build(input_shape)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x, mask=None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        # (B, L): a
        weights = self.softmax(self.scores(x)[..., 0], mask=mask)
        # (B, L, units)
        values = self.values(self.drop(x, training=training))
        # (B, units): s
        vector = ops.sum(ops.cast(weights, values.dtype)[..., None] * values, axis=1)
        if not return_attention:
            return vector
        return vector, [TokenMap("word_weight", MapKind.TOKEN, weights, label="weight")]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.units)

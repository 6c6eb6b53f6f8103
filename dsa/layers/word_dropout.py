"""Dropout of word vectors, as the context of an encoder."""

import keras

from dsa.layers.masks import MaskedLayer


@keras.saving.register_keras_serializable(package="dsa")
class WordDropout(MaskedLayer):
    """`Dropout(x)`, each feature of each token by itself.

    Args:
        dropout: dropped share.
        seed: of the dropout; `None` for an unseeded one.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: not used.
        return_attention: whether to return what the layer looked at as well: nothing.

    Returns: tensor `(B, L, D)`; with `return_attention` a pair of it and an empty list.

    Example:
        >>> x = keras.ops.ones((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(WordDropout(0.5)(x).shape)
        (2, 5, 8)
    """

    def __init__(self, dropout, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )

    def call(self, x, mask=None, training=None, return_attention=False):
        x = self.drop(x, training=training)
        return (x, []) if return_attention else x

    def compute_output_shape(self, input_shape):
        return input_shape

"""The layer that each word vector goes through before SWEM pools."""

import keras
from keras import ops

from dsa.layers.masks import MaskedLayer

FIRST_BIAS = 0.001  # of the released code


@keras.saving.register_keras_serializable(package="dsa")
class WordLayer(MaskedLayer):
    """`relu(Dropout(x) W + b)`, each token by itself.

    Args:
        units: U, features of a token afterwards.
        dropout: dropped share of x.
        seed: seed of the dropout; `None` for an unseeded one.

    Call arguments:
        x: tensor `(B, L, D)`, word vectors.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return what the layer looked at as well: nothing.

    Returns: tensor `(B, L, U)`; with `return_attention` a pair of it and an empty list.

    Reference: Shen et al. 2018, section 4; the released `eval_snli_emb.py`.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(WordLayer(6)(x).shape)
        (2, 5, 6)
    """

    def __init__(self, units, dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        self.dense = keras.layers.Dense(
            self.units,
            activation="relu",
            bias_initializer=keras.initializers.Constant(FIRST_BIAS),
            dtype=self.dtype_policy,
            name="dense",
        )
        self.dense.build(input_shape)

    def call(self, x, mask=None, training=None, return_attention=False):
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(mask[:, :, None], x, 0)
        x = self.dense(self.drop(x, training=training))
        return (x, []) if return_attention else x

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

"""Additive attention over tokens: one weight a token."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer
from dsa.layers.normalized_dense import NormalizedDense
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class AdditiveAttention(MaskedLayer):
    """A weighted sum of the tokens.

        a = softmax_i(w . Dropout(ELU(W Dropout(x_i) + b)));  s = sum_i a_i x_i

    The softmax runs over the tokens; padding gets weight 0, and a sentence of only
    padding the vector 0.

    Args:
        activation: name of the hidden map's Keras activation.
        dropout: dropped share of the input of W and of w.
        l2: decay of W, see `NormalizedDense`; w has none, as in the released code.
        seed: seed of the dropout; `None` for an unseeded one.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return a as well.

    Returns: tensor `(B, D)`; with `return_attention` a pair of it and a list of one
        `TokenMap`, `additive_attention` `(B, L)`: a, float32.

    Reference: Shen et al. 2018, section 5.1, "Word Embedding with additive attention",
    after Bahdanau et al. 2015.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> vector, (weights,) = AdditiveAttention()(x, return_attention=True)
        >>> tuple(vector.shape), tuple(weights.values.shape)
        ((2, 8), (2, 5))
    """

    def __init__(self, activation="elu", dropout=0.0, l2=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.activation = activation
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def build(self, input_shape):
        self.hidden = NormalizedDense(
            input_shape[-1],
            self.activation,
            layer_norm=False,
            dropout=self.dropout,
            l2=self.l2,
            seed=self.seed,
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.hidden.build(input_shape)
        self.score = NormalizedDense(
            1,
            use_bias=False,
            layer_norm=False,
            dropout=self.dropout,
            seed=derived_seed(self.seed, "score"),
            dtype=self.dtype_policy,
            name="score",
        )
        self.score.build(input_shape)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x, mask=None, training=None, return_attention=False):
        # (B, L, D)
        hidden = self.hidden(x, training=training)
        # (B, L), then a
        scores = self.score(hidden, training=training)[..., 0]
        attention = self.softmax(scores, mask=mask)
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(mask[:, :, None], x, 0)
        # (B, D): s
        vector = ops.sum(ops.cast(attention, x.dtype)[:, :, None] * x, axis=1)
        if not return_attention:
            return vector
        weights = TokenMap(
            "additive_attention",
            MapKind.TOKEN,
            attention,
            label="additive attention weight",
        )
        return vector, [weights]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

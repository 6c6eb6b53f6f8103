"""Multi-dimensional source2token self-attention: tokens to one sentence vector."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer
from dsa.layers.normalized_dense import NormalizedDense
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class Source2Token(MaskedLayer):
    """A weighted sum of the tokens, with weights of their own for every feature.

        l(u_i) = LN(ELU(LN(u_i W_1 + b_1)) W_2 + b_2)
        s = sum_i softmax_i(l(u_i)) * u_i

    DiSAN's has no LN, but dropout on the input of both maps and decay of both matrices.

    The softmax runs over the tokens; padding gets weight 0, and a sentence of only
    padding the vector 0.

    Args:
        layer_norm: `False` leaves out both LN.
        activation: name of the hidden map's Keras activation.
        dropout: dropped share of the input of both maps.
        l2: decay of both matrices, see `NormalizedDense`.
        seed: seed of the dropouts; `None` for unseeded ones.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return the weights as well.

    Returns: tensor `(B, D)`; with `return_attention` a pair of it and a list of one
        `TokenMap`, `source2token` `(B, L, D)`: the weights, which sum to 1 over the
        tokens, float32.

    Reference: Im & Cho 2017, section 4.2.5, equations 14 to 16, after Shen et al. 2018.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> vector, (weights,) = Source2Token()(x, return_attention=True)
        >>> tuple(vector.shape), tuple(weights.values.shape)
        ((2, 8), (2, 5, 8))
    """

    def __init__(
        self,
        layer_norm=True,
        activation="elu",
        dropout=0.0,
        l2=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.layer_norm = layer_norm
        self.activation = activation
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def build(self, input_shape):
        def projection(activation, name):
            layer = NormalizedDense(
                input_shape[-1],
                activation=activation,
                layer_norm=self.layer_norm,
                dropout=self.dropout,
                l2=self.l2,
                seed=derived_seed(self.seed, name),
                dtype=self.dtype_policy,
                name=name,
            )
            layer.build(input_shape)
            return layer

        self.hidden = projection(self.activation, "hidden")
        self.logits = projection(None, "logits")
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x, mask=None, training=None, return_attention=False):
        # both (B, L, D)
        hidden = self.hidden(x, training=training)
        logits = self.logits(hidden, training=training)
        # (B, L, D): the weights
        visible = None if mask is None else mask[:, :, None]
        attention = self.softmax(logits, mask=visible)
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(visible, x, 0)
        # (B, D): s
        vector = ops.sum(ops.cast(attention, x.dtype) * x, axis=1)
        if not return_attention:
            return vector
        weights = TokenMap(
            "source2token",
            MapKind.TOKEN_BY_FEATURE,
            attention,
            label="source2token weight",
        )
        return vector, [weights]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

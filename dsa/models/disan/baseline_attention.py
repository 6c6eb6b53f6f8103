"""The attentions of DiSAN's baselines: additive, and of several heads."""

from typing import Any

import keras
import numpy as np
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.multi_head import check_units_per_head, join_heads, split_heads
from dsa.layers.normalized_dense import NormalizedDense, make_decay
from dsa.layers.pooling import Pooling
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class AdditiveAttention(Pooling):
    """A weighted sum of the tokens.

        a = softmax_i(w . Dropout(ELU(W Dropout(x_i) + b)));  s = sum_i a_i x_i

    The softmax runs over the tokens; padding gets weight 0, and a sentence of only
    padding the vector 0.

    Args:
        activation: name of the hidden map's Keras activation.
        dropout: dropped share of the input of W and of w.
        l2: decay of W, see `NormalizedDense`; w has none, as in the released code.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, D)`. `TokenMap`: `additive_attention` `(B, L)`: a, float32.

    Reference: Shen et al. 2018, section 5.1, "Word Embedding with additive attention",
    after Bahdanau et al. 2015.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> vector, (weights,) = AdditiveAttention()(x, return_attention=True)
        >>> tuple(vector.shape), tuple(weights.values.shape)
        ((2, 8), (2, 5))
    """

    def __init__(
        self,
        activation: str = "elu",
        dropout: float = 0.0,
        l2: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.activation = activation
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def build(self, input_shape):
        def linear(name, units, **options):
            options |= {"layer_norm": False, "dropout": self.dropout}
            return self.build_part(NormalizedDense, name, input_shape, units, **options)

        hidden = {"activation": self.activation, "l2": self.l2, "seed": self.seed}
        self.hidden = linear("hidden", input_shape[-1], **hidden)
        score_seed = derived_seed(self.seed, "score")
        self.score = linear("score", 1, use_bias=False, seed=score_seed)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        # (B, L, D)
        hidden = self.hidden(x, training=training)
        # (B, L), then a
        scores = self.score(hidden, training=training)[..., 0]
        attention = self.softmax(scores, mask=mask)
        x = clear_padding(x, mask)
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


def sinusoidal_positions(length: Any, units: int, dtype: str = "float32") -> Tensor:
    """The Transformer's positions: `(length, units)`, sines, then cosines.

        P[i, k] = sin(i / 10000^(k / (units/2 - 1))),  k < units/2
        P[i, units/2 + k] = cos(...)

    Reference: Vaswani et al. 2017, section 3.5, in the order of its released code.

    Example:
        >>> tuple(sinusoidal_positions(5, 8).shape)
        (5, 8)
    """
    half = units // 2
    scale = np.log(10_000) / max(half - 1, 1)
    rates = np.exp(-scale * np.arange(half))
    angles = ops.arange(length, dtype=dtype)[:, None] * ops.cast(rates, dtype)
    return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=-1)


def alternating_positions(length: Any, units: int, dtype: str = "float32") -> Tensor:
    """Positions as the authors' later code has them: `(length, units)`, a sine and a
    cosine by turns.

        P[i, k] = sin(i / 10000^(2 k / units)),  P[i, k + 1] = cos(...),  k even

    Vaswani et al. 2017 have k instead of 2 k. Reference: the code of Shen et al.'s
    BiBloSA.

    Example:
        >>> tuple(alternating_positions(5, 8).shape)
        (5, 8)
    """
    rates = 10_000.0 ** (-2 * np.arange(0, units, 2) / units)
    angles = ops.arange(length, dtype=dtype)[:, None] * ops.cast(rates, dtype)
    pairs = ops.stack([ops.sin(angles), ops.cos(angles)], axis=-1)
    return ops.reshape(pairs, (-1, units))


POSITIONS = {"halves": sinusoidal_positions, "alternating": alternating_positions}


@keras.saving.register_keras_serializable(package="dsa")
class MultiHeadSelfAttention(MaskedLayer):
    """Each token looks at all tokens, itself included, in several heads.

        x' = Dropout(x + positions)
        A = softmax(Q K^T / sqrt(K)),  Q, K, V = x' W^Q, x' W^K, x' W^V   per head
        output = concat(Dropout(A) V)

    There are no biases, output map, residual connection or feed-forward block: the
    layer has 3 `D_in` x `units` parameters. Padding is no key: it gets weight 0.

    Args:
        units: features of the output, split evenly over the heads.
        heads: number of heads.
        dropout: dropped share of x' and of A.
        l2: decay of the three matrices, see `NormalizedDense`.
        positions: `halves`, see `sinusoidal_positions`, or `alternating`.
        initialization: `keras`, or `released`: uniform as of one variable of shape
            `(3, heads, D_in, units / heads)`, in +- sqrt(2 / (heads (D_in + K))).

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D_in)`, `D_in` even.

    Returns: tensor `(B, L, units)`. `TokenMap`: `attention` `(B, heads, L, L)`: A,
        float32.

    Raises: `ValueError` if `heads` does not divide `units` or `D_in` is odd.

    Reference: Shen et al. 2018, section 5.1, "Multi-head with s2t self-attention",
    after Vaswani et al. 2017. The dropout is that of the authors' later released code,
    which draws a dropout of x' for each map of each head; here they share one.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(MultiHeadSelfAttention(6, heads=2)(x).shape)
        (2, 5, 6)
    """

    def __init__(
        self,
        units: int,
        heads: int,
        dropout: float = 0.0,
        l2: float = 0.0,
        seed: int | None = None,
        positions: str = "halves",
        initialization: str = "keras",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_units_per_head(units, heads)
        self.units = units
        self.heads = heads
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed
        self.positions = positions
        self.initialization = initialization

    def build(self, input_shape):
        if input_shape[-1] % 2:
            raise ValueError(
                "Sinusoidal positions need an even number of features. Received: "
                f"inputs of shape {input_shape}"
            )

        features = input_shape[-1] + self.units // self.heads

        def projection(name):
            kernel: Any = "glorot_uniform"
            if self.initialization == "released":
                limit = (2 / (self.heads * features)) ** 0.5
                kernel = keras.initializers.RandomUniform(-limit, limit)
            return self.build_part(
                keras.layers.Dense,
                name,
                input_shape,
                self.units,
                use_bias=False,
                kernel_initializer=kernel,
                kernel_regularizer=make_decay(self.l2),
            )

        self.query, self.key, self.value = map(projection, ("query", "key", "value"))
        self.drop_input = self.make_dropout("input")
        self.drop_attention = self.make_dropout("attention")
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        # (L, D_in), then x' (B, L, D_in)
        make_positions = POSITIONS[self.positions]
        positions = make_positions(tensor_shape(x)[1], x.shape[-1], self.compute_dtype)
        x = self.drop_input(x + positions, training=training)

        # each (B, L, H, K)
        query, key, value = (
            split_heads(project(x), self.heads)
            for project in (self.query, self.key, self.value)
        )
        # (B, H, L, L), then A
        logits = ops.einsum("bqhk,bshk->bhqs", query, key)
        logits = logits / (self.units // self.heads) ** 0.5
        visible = None if mask is None else mask[:, None, None, :]
        attention = self.softmax(logits, mask=visible)
        weights = self.drop_attention(
            ops.cast(attention, self.compute_dtype), training=training
        )
        # (B, L, H, K), then joined to (B, L, units)
        context = join_heads(ops.einsum("bhqs,bshk->bqhk", weights, value))
        if not return_attention:
            return context
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return context, [TokenMap("attention", kind, attention)]

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

"""Attention layers of DiSAN's baselines: additive and multi-head."""

from typing import Any

import keras
import numpy as np
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_units_per_head
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.multi_head import join_heads, split_heads
from dsa.layers.normalized_dense import NormalizedDense, make_decay
from dsa.layers.pooling import Pooling
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class AdditiveAttention(Pooling):
    """Additive attention pooling: a weighted sum of the tokens.

        a = softmax_i(w . Dropout(ELU(W Dropout(x_i) + b)))
        s = sum_i a_i x_i

    The softmax is over the tokens. Padding has weight 0; the vector of a sentence that
    consists of padding is 0.

    Args:
        activation: name of the Keras activation of the hidden layer.
        dropout: dropout rate of the inputs of W and w.
        l2: weight decay of W, see `NormalizedDense`; w has no decay, as in the released
            code.
        seed: seed of the first dropout, from which the seed of the second dropout is
            derived; `None` for unseeded dropouts.

    Call arguments (in addition to those of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: s, tensor `(B, D)`. `TokenMap`: `additive_attention` `(B, L)`, a, float32.

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
        self.hidden = NormalizedDense(
            input_shape[-1],
            activation=self.activation,
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

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        # (B, L, D)
        hidden = self.hidden(x, training=training)
        # (B, L)
        scores = self.score(hidden, training=training)[..., 0]
        # (B, L): a
        attention = self.softmax(scores, mask=mask)
        x = clear_padding(x, mask)
        # (B, D): s
        vector = ops.sum(ops.cast(attention, x.dtype)[:, :, None] * x, axis=1)
        if not return_attention:
            return vector
        token_map = TokenMap(
            "additive_attention",
            MapKind.TOKEN,
            attention,
            label="additive attention weight",
        )
        return vector, [token_map]


def sinusoidal_positions(length: Any, units: int, dtype: str = "float32") -> Tensor:
    """Returns the Transformer's position encoding, `(length, units)`, with the sines
    before the cosines.

        P[i, k] = sin(i / 10000^(k / (units/2 - 1))),  k < units/2
        P[i, units/2 + k] = cos(i / 10000^(k / (units/2 - 1)))

    Reference: Vaswani et al. 2017, section 3.5, in the order of the released code.

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
    """Returns the position encoding of the DiSAN authors' later code, `(length,
    units)`, with alternating sines and cosines.

        P[i, k] = sin(i / 10000^(2 k / units)),  k even
        P[i, k + 1] = cos(i / 10000^(2 k / units))

    Reference: the code of Shen et al.'s BiBloSA.

    Differs from Vaswani et al. 2017, whose exponent is k / units.

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
    """Multi-head self-attention over word vectors with sinusoidal positions.

        x' = Dropout(x + positions)
        Q, K, V = x' W^Q, x' W^K, x' W^V                split into heads
        A = softmax(Q K^T / sqrt(K))                    per head
        output = concat(Dropout(A) V)

    The layer has 3 `D_in` x `units` parameters: it has no biases, output projection,
    residual connection or feed-forward block. Padding is masked as a key, so its weight
    is 0.

    Args:
        units: features of the output, split evenly over the heads.
        heads: number of heads.
        dropout: dropout rate of x' and of A.
        l2: weight decay of the three matrices, see `NormalizedDense`.
        seed: integer from which the seeds of the dropouts are derived; `None` for
            unseeded dropouts.
        positions: "halves" (`sinusoidal_positions`) or "alternating"
            (`alternating_positions`).
        initialization: "keras" for Glorot uniform initialization of each matrix;
            "released" for a uniform distribution in +- sqrt(2 / (heads (D_in + K))),
            the range of a single variable of shape `(3, heads, D_in, K)`, K = units /
            heads.

    Call arguments (in addition to those of `MaskedLayer`):
        x: tensor `(B, L, D_in)`, `D_in` even.

    Returns: tensor `(B, L, units)`. `TokenMap`: `attention` `(B, heads, L, L)`, A,
        float32.

    Raises: `ValueError` if `units` is not divisible by `heads` or if `D_in` is odd.

    Reference: Shen et al. 2018, section 5.1, "Multi-head with s2t self-attention",
    after Vaswani et al. 2017.

    Differs from the authors' later released code: all projections share one dropout
    mask of x'; the code draws a mask for each projection of each head.

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
        self.query = self._make_projection(input_shape[-1], "query")
        self.query.build(input_shape)
        self.key = self._make_projection(input_shape[-1], "key")
        self.key.build(input_shape)
        self.value = self._make_projection(input_shape[-1], "value")
        self.value.build(input_shape)
        self.drop_input = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "input"),
            dtype=self.dtype_policy,
        )
        self.drop_attention = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "attention"),
            dtype=self.dtype_policy,
        )
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def _make_projection(self, features, name):
        """Returns the layer of W^Q, W^K or W^V.

        Args:
            features: `D_in`.
            name: name of the layer.
        """
        initializer: Any = "glorot_uniform"
        if self.initialization == "released":
            units_per_head = self.units // self.heads
            limit = (2 / (self.heads * (features + units_per_head))) ** 0.5
            initializer = keras.initializers.RandomUniform(-limit, limit)
        return keras.layers.Dense(
            self.units,
            use_bias=False,
            kernel_initializer=initializer,
            kernel_regularizer=make_decay(self.l2),
            dtype=self.dtype_policy,
            name=name,
        )

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        # (L, D_in)
        make_positions = POSITIONS[self.positions]
        positions = make_positions(tensor_shape(x)[1], x.shape[-1], self.compute_dtype)
        # (B, L, D_in): x'
        x = self.drop_input(x + positions, training=training)
        # each (B, L, H, K)
        Q = split_heads(self.query(x), self.heads)
        K = split_heads(self.key(x), self.heads)
        V = split_heads(self.value(x), self.heads)
        # (B, H, L, L): similarity of each query to each key
        logits = ops.einsum("bqhk,bshk->bhqs", Q, K)
        logits = logits / (self.units // self.heads) ** 0.5
        # (B, H, L, L): the weights of each query over the keys
        key_mask = None if mask is None else mask[:, None, None, :]
        A = self.softmax(logits, mask=key_mask)
        weights = self.drop_attention(
            ops.cast(A, self.compute_dtype), training=training
        )
        # (B, L, units): Dropout(A) V with joined heads
        context = join_heads(ops.einsum("bhqs,bshk->bqhk", weights, V))
        if not return_attention:
            return context
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return context, [TokenMap("attention", kind, A)]

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

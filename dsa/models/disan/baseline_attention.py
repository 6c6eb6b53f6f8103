"""Attention layers of the baselines of DiSAN: additive and multi-head attention.

B sentences, L tokens, D features of a token, d features per head.
"""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice, check_units_per_head
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.multi_head import join_heads, split_heads
from dsa.layers.normalized_dense import NormalizedDense, make_l2_regularizer
from dsa.layers.pooling import Pooling
from dsa.models.disan.positions import alternating_positions, sinusoidal_positions
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class AdditiveAttention(Pooling):
    """Additive attention pooling: a weighted sum of the tokens.

        a = softmax_i(w . Dropout(ELU(W Dropout(x_i) + b)))
        s = sum_i a_i x_i

    The softmax is over the tokens. The weights of padding are 0, so the vector of a
    sentence without real tokens is 0.

    Args:
        activation: name of the Keras activation of the hidden layer.
        dropout: dropout rate of the inputs of W and w.
        l2: coefficient of the weight decay of W, see `NormalizedDense`. As in the
            released code, w has no weight decay.
        seed: seed of the first dropout layer, from which the seed of the second is
            derived; `None` for random seeds.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor s `(B, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `additive_attention`: a, float32 `(B, L)`.

    Reference: Shen et al. 2018, section 5.1, "Word Embedding with additive attention";
    based on Bahdanau et al. 2015.

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

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
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


POSITIONS = ("halves", "alternating")
INITIALIZATIONS = ("keras", "released")


@keras.saving.register_keras_serializable(package="dsa")
class MultiHeadSelfAttention(MaskedLayer):
    """Multi-head self-attention over word vectors with sinusoidal positions.

        x' = Dropout(x + positions)
        Q, K, V = x' W^Q, x' W^K, x' W^V                split into heads
        A = softmax(Q K^T / sqrt(d))                    per head
        output = concat(Dropout(A) V)

    d = units / heads is the number of features per head. The layer has 3 x `D_in` x
    `units` parameters, and neither biases, output projection, residual connection nor
    feed-forward block. Padding keys are masked, so their weights are 0.

    Args:
        units: integer, number of output features, split evenly over the heads.
        heads: number of attention heads.
        dropout: dropout rate of x + positions and of A.
        l2: coefficient of the weight decay of the three matrices, see
            `NormalizedDense`.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.
        positions: "halves" (`sinusoidal_positions`) or "alternating"
            (`alternating_positions`).
        initialization: "keras" for Glorot uniform initialization of each matrix;
            "released" for a uniform distribution with the limits
            +- sqrt(2 / (heads (D_in + d))). These are the Glorot limits of one variable
            `(3, heads, D_in, d)`, as in the authors' later released code.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D_in)` with an even number `D_in` of features.

    Returns: tensor `(B, L, units)`. With `return_attention=True`, also a list with the
        `TokenMap` `attention`: A, float32 `(B, heads, L, L)`.

    Raises: `ValueError` if `units` is not divisible by `heads`, `positions` or
        `initialization` is unknown, or `D_in` is odd.

    Reference: Shen et al. 2018, section 5.1, "Multi-head with s2t self-attention";
    based on Vaswani et al. 2017.

    Differs from the authors' later released code: all projections share one dropout
    mask of x'. The code draws a mask for each projection of each head.

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
        check_choice("positions", positions, POSITIONS)
        check_choice("initialization", initialization, INITIALIZATIONS)
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

    def _make_projection(self, num_features: int, name: str) -> keras.layers.Dense:
        """Returns a new linear layer, for W^Q, W^K or W^V.

        Args:
            num_features: number `D_in` of input features.
            name: name of the layer.
        """
        initializer: Any = "glorot_uniform"
        if self.initialization == "released":
            head_dim = self.units // self.heads
            limit = (2 / (self.heads * (num_features + head_dim))) ** 0.5
            initializer = keras.initializers.RandomUniform(-limit, limit)
        return keras.layers.Dense(
            self.units,
            use_bias=False,
            kernel_initializer=initializer,
            kernel_regularizer=make_l2_regularizer(self.l2),
            dtype=self.dtype_policy,
            name=name,
        )

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        x = clear_padding(x, mask)
        length = tensor_shape(x)[1]
        # (L, D_in)
        if self.positions == "halves":
            positions = sinusoidal_positions(length, x.shape[-1])
        else:
            positions = alternating_positions(length, x.shape[-1])
        # (B, L, D_in): x'. bfloat16 does not represent all positions above 256
        x = self.drop_input(x + ops.cast(positions, x.dtype), training=training)
        # each (B, L, heads, d)
        Q = split_heads(self.query(x), self.heads)
        K = split_heads(self.key(x), self.heads)
        V = split_heads(self.value(x), self.heads)
        # (B, heads, L, L): similarity of each query to each key
        logits = ops.einsum("bqhd,bkhd->bhqk", Q, K)
        logits = logits / (self.units // self.heads) ** 0.5
        # (B, heads, L, L): attention weights
        key_mask = None if mask is None else mask[:, None, None, :]
        A = self.softmax(logits, mask=key_mask)
        weights = self.drop_attention(
            ops.cast(A, self.compute_dtype), training=training
        )
        # (B, L, units): Dropout(A) V with joined heads
        context = join_heads(ops.einsum("bhqk,bkhd->bqhd", weights, V))
        if not return_attention:
            return context
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return context, [TokenMap("attention", kind, A)]

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

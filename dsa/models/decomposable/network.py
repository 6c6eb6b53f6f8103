"""The decomposable attention model: attend, compare, aggregate."""

from typing import Any

import keras
from keras import ops

from dsa.backends.compilation import BaseModel
from dsa.explanation import MapKind, TokenMap, call_layer
from dsa.layers.masks import (
    Mask,
    MaskedLayer,
    Tensor,
    clear_padding,
    tensor_shape,
    token_mask,
)
from dsa.layers.soft_alignment import SoftAlignment
from dsa.layers.word_embedding import WordEmbedding
from dsa.seeds import derived_seed
from dsa.tasks.task import PAIR

LARGEST = 10  # largest distance in words with its own bias


@keras.saving.register_keras_serializable(package="dsa")
class IntraAttention(MaskedLayer):
    """Intra-sentence attention: joins each token with the tokens it attends to.

        f_ij = F(a_i) . F(a_j);  a'_i = sum_j softmax_j(f_ij + d_(i-j)) a_j
        a-_i = [a_i; a'_i]

    d has one bias for each distance from -10 to 10, and one for all larger distances on
    each side. The paper specifies only that distances above 10 share a bias. Padding
    has weight 0.

    Call arguments (in addition to those of `MaskedLayer`):
        x: a, tensor `(B, L, D)`.
        keys: F(a), tensor `(B, L, K)`.

    Returns: a-, tensor `(B, L, 2 D)`. `TokenMap`: `intra_attention` `(B, L, L)`,
        float32.

    Reference: Parikh et al. 2016, section 3.4.

    Example:
        >>> x = ops.ones((2, 5, 4))
        >>> tuple(IntraAttention()(x, x).shape)
        (2, 5, 8)
    """

    def build(self, x_shape, keys_shape=None):  # pyright: ignore[reportIncompatibleMethodOverride]
        self.distances = self.add_weight(
            shape=(2 * LARGEST + 3,), initializer="zeros", name="distances"
        )
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(self, x: Tensor, keys: Tensor, mask: Mask = None, return_attention=False):
        positions = ops.arange(tensor_shape(x)[1], dtype="int32")
        # (L, L): i - j, and its index in d
        distances = positions[:, None] - positions[None, :]
        indices = ops.clip(distances, -LARGEST - 1, LARGEST + 1) + LARGEST + 1
        # (B, L, L): f_ij + d_(i-j)
        scores = ops.matmul(keys, ops.transpose(keys, (0, 2, 1)))
        scores = scores + ops.cast(ops.take(self.distances, indices), scores.dtype)
        visible = None if mask is None else mask[:, None, :]
        weights = self.softmax(scores, mask=visible)
        x = clear_padding(x, mask)
        # (B, L, D): a'
        attended = ops.matmul(ops.cast(weights, x.dtype), x)
        # (B, L, 2 D): a-
        output = ops.concatenate([x, attended], axis=-1)
        if not return_attention:
            return output
        kind = MapKind.TOKEN_OVER_TOKEN
        return output, [TokenMap("intra_attention", kind, weights)]


@keras.saving.register_keras_serializable(package="dsa")
class FeedForward(keras.layers.Layer):
    """Two dense layers with ReLU, and dropout on the input of each.

        output = max(0, max(0, x W_1 + b_1) W_2 + b_2)

    Args:
        units: units of both layers.
        dropout: dropout rate.
        initial_deviation: see `DecomposableAttention`.
        seed: seed of the dropouts; `None` for unseeded ones.

    Call arguments:
        x: tensor `(..., D)`.

    Returns: tensor `(..., units)`.

    Reference: Parikh et al. 2016, section 4.2: "2-layers, each with 200 neurons".

    Example:
        >>> tuple(FeedForward(6)(ops.ones((2, 5, 4))).shape)
        (2, 5, 6)
    """

    def __init__(
        self,
        units: int,
        dropout: float = 0.0,
        initial_deviation: float | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.initial_deviation = initial_deviation
        self.seed = seed
        self.dense_layers = [
            keras.layers.Dense(
                units,
                activation="relu",
                kernel_initializer=initial_kernel(initial_deviation),
                dtype=self.dtype_policy,
                name=name,
            )
            for name in ("first", "second")
        ]
        self.drops = [
            keras.layers.Dropout(
                dropout, seed=derived_seed(seed, name), dtype=self.dtype_policy
            )
            for name in ("first", "second")
        ]

    def build(self, input_shape):
        first, second = self.dense_layers
        first.build(input_shape)
        second.build((*input_shape[:-1], self.units))

    def call(self, x: Tensor, training=None):
        # (..., units) after each layer
        for drop, dense in zip(self.drops, self.dense_layers, strict=True):
            x = dense(drop(x, training=training))
        return x


@keras.saving.register_keras_serializable(package="dsa")
class DecomposableAttention(BaseModel):
    """The decomposable attention model: classifies a pair by its aligned words.

        a_i = W x_i / |x_i|                            input
        beta_i = sum_j softmax_j(F(a_i) . F(b_j)) b_j  attend, and alpha_j likewise
        v_1 = sum_i G([a_i; beta_i]), v_2 likewise     compare, aggregate
        logits = H([v_1; v_2]) W_l + b_l

    Intra-sentence attention replaces a and b with `IntraAttention` of both.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        outputs: number of logits.
        units: features of a and of every hidden layer.
        intra_attention: whether there is intra-sentence attention.
        normalize: whether x is scaled to unit length.
        dropout: see `FeedForward`.
        initial_deviation: standard deviation of the normal distribution of the initial
            matrices; `None` for Glorot's.
        seed: seed that the dropouts' seeds are derived from; `None` for unseeded
            dropout.

    Call arguments:
        inputs: a dictionary of int ids `(B, P)` and `(B, Q)` by input, 0 is padding.
        maps: only for `explain`.

    Returns: logits, float32 `(B, outputs)`.

    Reference: Parikh et al. 2016, section 3.

    Example:
        >>> model = DecomposableAttention(WordEmbedding(9, 8), units=6)
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"premise": ids, "hypothesis": ids[:, :2]}).shape)
        (2, 3)
    """

    sentences = PAIR

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        embedding: WordEmbedding,
        outputs: int = 3,
        *,
        units: int = 200,
        intra_attention: bool = False,
        normalize: bool = True,
        dropout: float = 0.2,
        initial_deviation: float | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        policy = self.dtype_policy
        self.embedding = embedding
        self.units = units
        self.normalize = normalize
        # W
        self.projection = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_initializer=initial_kernel(initial_deviation),
            dtype=policy,
            name="projection",
        )
        # F_intra, section 3.4
        self.intra: Any = None
        self.intra_keys: Any = None
        if intra_attention:
            self.intra_keys = FeedForward(
                units,
                dropout=dropout,
                initial_deviation=initial_deviation,
                seed=derived_seed(seed, "intra_keys"),
                dtype=policy,
                name="intra_keys",
            )
            self.intra = IntraAttention(dtype=policy, name="intra_attention")
        # F, section 3.1
        self.keys = FeedForward(
            units,
            dropout=dropout,
            initial_deviation=initial_deviation,
            seed=derived_seed(seed, "keys"),
            dtype=policy,
            name="keys",
        )
        self.alignment = SoftAlignment(dtype=policy, name="alignment")
        # G, section 3.2
        self.comparison = FeedForward(
            units,
            dropout=dropout,
            initial_deviation=initial_deviation,
            seed=derived_seed(seed, "comparison"),
            dtype=policy,
            name="comparison",
        )
        # H and the logits, section 3.3
        self.aggregation = FeedForward(
            units,
            dropout=dropout,
            initial_deviation=initial_deviation,
            seed=derived_seed(seed, "aggregation"),
            dtype=policy,
            name="aggregation",
        )
        self.logits = keras.layers.Dense(
            outputs,
            kernel_initializer=initial_kernel(initial_deviation),
            dtype="float32",
            name="logits",
        )

    def build(self, input_shape=None):
        """Creates all weights without a call."""
        self.embedding.build((None, None))
        word_units = self.embedding.projection or self.embedding.units
        self.projection.build((None, None, word_units))
        words_shape = (None, None, self.units)
        if self.intra is not None:
            self.intra_keys.build(words_shape)
            self.intra.build(words_shape)
            words_shape = (None, None, 2 * self.units)
        self.keys.build(words_shape)
        self.alignment.build(words_shape)
        self.comparison.build((None, None, 2 * words_shape[-1]))
        self.aggregation.build((None, 2 * self.units))
        self.logits.build((None, self.units))

    def call(self, inputs: dict[str, Tensor], training=None, maps=None):
        # (B, P) and (B, Q)
        premise, hypothesis = inputs["premise"], inputs["hypothesis"]
        premise_mask, hypothesis_mask = token_mask(premise), token_mask(hypothesis)
        # a (B, P, U) and b (B, Q, U); (B, P, 2 U) and (B, Q, 2 U) with intra-attention
        a = self._read_words("premise", premise, premise_mask, training, maps)
        b = self._read_words("hypothesis", hypothesis, hypothesis_mask, training, maps)

        # Section 3.1, attend: beta of a's shape and alpha of b's shape
        keys = self.keys(a, training=training), self.keys(b, training=training)
        beta, alpha = call_layer(
            self.alignment, maps, a, b, premise_mask, hypothesis_mask, keys=keys
        )

        # Section 3.2, compare: (B, P, U) and (B, Q, U)
        premise_compared = self.comparison(
            ops.concatenate([a, beta], axis=-1), training=training
        )
        hypothesis_compared = self.comparison(
            ops.concatenate([b, alpha], axis=-1), training=training
        )

        # Section 3.3, aggregate: (B, U) each
        v_1 = ops.sum(ops.where(premise_mask[:, :, None], premise_compared, 0), axis=1)
        v_2 = ops.sum(
            ops.where(hypothesis_mask[:, :, None], hypothesis_compared, 0), axis=1
        )
        # (B, U)
        pair = self.aggregation(ops.concatenate([v_1, v_2], axis=-1), training=training)
        # (B, outputs)
        return self.logits(pair)

    def explain(self, inputs: dict[str, Tensor]) -> tuple[Tensor, list[TokenMap]]:
        """Returns the logits and the attention maps of a batch, with dropout off.

        The maps are the `alignment` of both sentences, in both directions, and the
        `intra_attention` of each sentence.
        """
        maps = []
        return self.call(inputs, training=False, maps=maps), maps

    def _read_words(self, sentence, ids, mask, training, maps):
        """Returns the projected words of a sentence, with intra-sentence attention if
        the model has it.

        Args:
            sentence: "premise" or "hypothesis".
            ids, mask: token ids and mask `(B, L)`.
            training: whether dropout is on.
            maps: list to which `TokenMap`s are appended, or `None`.
        """
        # (B, L, D)
        words = self.embedding(ids)
        if self.normalize:
            squares = ops.sum(ops.square(words), axis=-1, keepdims=True)
            words = words * ops.rsqrt(ops.maximum(squares, 1e-12))
        # (B, L, U)
        words = self.projection(words)
        if self.intra is None:
            return words
        # (B, L, U)
        keys = self.intra_keys(words, training=training)
        # (B, L, 2 U)
        return call_layer(
            self.intra, maps, words, keys, mask=mask, describe={"sentence": sentence}
        )


def initial_kernel(deviation: float | None) -> Any:
    """Returns the initializer of a matrix: normal with this standard deviation, or
    Glorot's for `None`."""
    if deviation is None:
        return "glorot_uniform"
    return keras.initializers.RandomNormal(0.0, deviation)

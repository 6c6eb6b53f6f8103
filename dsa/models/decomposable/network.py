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

LARGEST = 10  # words of distance with a bias of their own


@keras.saving.register_keras_serializable(package="dsa")
class IntraAttention(MaskedLayer):
    """Each token beside the tokens of its sentence that it resembles.

        f_ij = F(a_i) . F(a_j);  a'_i = sum_j softmax_j(f_ij + d_(i-j)) a_j
        a-_i = [a_i; a'_i]

    d has a number for each distance from -10 to 10, and one for farther words on each
    side; the paper says only that all distances above 10 share one. Padding gets weight
    0.

    Call arguments, beside those of `MaskedLayer`:
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
        # (L, L): i - j, and a number from 0 for it
        distances = positions[:, None] - positions[None, :]
        numbers = ops.clip(distances, -LARGEST - 1, LARGEST + 1) + LARGEST + 1
        # (B, L, L)
        scores = ops.matmul(keys, ops.transpose(keys, (0, 2, 1)))
        scores = scores + ops.cast(ops.take(self.distances, numbers), scores.dtype)
        visible = None if mask is None else mask[:, None, :]
        weights = self.softmax(scores, mask=visible)
        x = clear_padding(x, mask)
        # (B, L, D): a'
        seen = ops.matmul(ops.cast(weights, x.dtype), x)
        output = ops.concatenate([x, seen], axis=-1)
        if not return_attention:
            return output
        kind = MapKind.TOKEN_OVER_TOKEN
        return output, [TokenMap("intra_attention", kind, weights)]


@keras.saving.register_keras_serializable(package="dsa")
class FeedForward(keras.layers.Layer):
    """Two layers with rectified units: `max(0, max(0, x W_1 + b_1) W_2 + b_2)`, dropout
    on the input of both.

    Args:
        units: units of both layers.
        dropout: dropped share.
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
            _make_dense(units, name, initial_deviation, self.dtype_policy, "relu")
            for name in ("first", "second")
        ]
        self.drops = [
            keras.layers.Dropout(
                dropout, seed=derived_seed(seed, layer.name), dtype=self.dtype_policy
            )
            for layer in self.dense_layers
        ]

    def build(self, input_shape):
        for layer in self.dense_layers:
            layer.build(input_shape)
            input_shape = (*input_shape[:-1], self.units)

    def call(self, x: Tensor, training=None):
        for drop, layer in zip(self.drops, self.dense_layers, strict=True):
            x = layer(drop(x, training=training))
        return x


@keras.saving.register_keras_serializable(package="dsa")
class DecomposableAttention(BaseModel):
    """One label of a premise and a hypothesis, by their words.

        a_i = W x_i / |x_i|                            input
        beta_i = sum_j softmax_j(F(a_i) . F(b_j)) b_j  attend, and alpha_j likewise
        v_1 = sum_i G([a_i; beta_i]), v_2 likewise     compare, aggregate
        logits = H([v_1; v_2]) W_l + b_l

    With intra-sentence attention `IntraAttention` comes before the second line.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        outputs: number of logits.
        units: features of a and of every hidden layer.
        intra_attention: whether there is intra-sentence attention.
        normalize: whether x is divided by its length.
        dropout: see `FeedForward`.
        initial_deviation: standard deviation of the normal distribution of the initial
            matrices; `None` for Glorot's.
        seed: the dropouts' seeds are derived from it; `None` for unseeded ones.

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

        def make_network(name):
            return FeedForward(
                units,
                dropout,
                initial_deviation,
                derived_seed(seed, name),
                dtype=policy,
                name=name,
            )

        self.embedding = embedding
        self.units = units
        self.normalize = normalize
        self.projection = _make_dense(
            units, "projection", initial_deviation, policy, use_bias=False
        )
        self.intra: Any = None
        self.intra_keys: Any = None
        if intra_attention:
            self.intra_keys = make_network("intra_keys")  # F_intra
            self.intra = IntraAttention(dtype=policy, name="intra_attention")
        self.keys = make_network("keys")  # F
        self.alignment = SoftAlignment(dtype=policy, name="alignment")
        self.comparison = make_network("comparison")  # G
        self.aggregation = make_network("aggregation")  # H
        self.logits = _make_dense(outputs, "logits", initial_deviation, "float32")

    def build(self, input_shape=None):
        """Make all weights, without a call."""
        self.embedding.build((None, None))
        word_units = self.embedding.projection or self.embedding.units
        self.projection.build((None, None, word_units))
        words = (None, None, self.units)
        if self.intra is not None:
            self.intra_keys.build(words)
            self.intra.build(words)
            words = (None, None, 2 * self.units)
        self.keys.build(words)
        self.alignment.build(words)
        self.comparison.build((None, None, 2 * words[-1]))
        self.aggregation.build((None, 2 * self.units))
        self.logits.build((None, self.units))

    def call(self, inputs: dict[str, Tensor], training=None, maps=None):
        # (B, P) and (B, Q)
        masks = [token_mask(inputs[name]) for name in self.sentences]
        # (B, P, U) and (B, Q, U), with intra-sentence attention (B, P, 2 U) ...
        words = [
            self._read(name, inputs[name], mask, training, maps)
            for name, mask in zip(self.sentences, masks, strict=True)
        ]
        # Section 3.1, attend: as `words`, what each token looked at
        keys = [self.keys(sentence, training=training) for sentence in words]
        attended = call_layer(self.alignment, maps, *words, *masks, keys=keys)
        # Section 3.2 and 3.3, compare and aggregate: (B, U) for each sentence
        sums = []
        for sentence, seen, mask in zip(words, attended, masks, strict=True):
            compared = self.comparison(
                ops.concatenate([sentence, seen], axis=-1), training=training
            )
            sums.append(ops.sum(ops.where(mask[:, :, None], compared, 0), axis=1))
        pair = self.aggregation(ops.concatenate(sums, axis=-1), training=training)
        return self.logits(pair)

    def explain(self, inputs: dict[str, Tensor]) -> tuple[Tensor, list[TokenMap]]:
        """Logits, and a list of `TokenMap`s: the `alignment` of each sentence over the
        other one, and the `intra_attention` of each. Dropout is off."""
        maps = []
        return self.call(inputs, training=False, maps=maps), maps

    def _read(self, name, ids, mask, training, maps):
        """The words of one sentence."""
        words = self.embedding(ids)  # (B, L, D)
        if self.normalize:
            squares = ops.sum(ops.square(words), axis=-1, keepdims=True)
            words = words * ops.rsqrt(ops.maximum(squares, 1e-12))
        words = self.projection(words)  # (B, L, U)
        if self.intra is None:
            return words
        keys = self.intra_keys(words, training=training)
        where = {"sentence": name}
        return call_layer(self.intra, maps, words, keys, mask=mask, describe=where)


def _make_dense(units, name, deviation, dtype, activation=None, use_bias=True):
    kernel: Any = "glorot_uniform"
    if deviation is not None:
        kernel = keras.initializers.RandomNormal(0.0, deviation)
    return keras.layers.Dense(
        units,
        activation,
        use_bias=use_bias,
        kernel_initializer=kernel,
        dtype=dtype,
        name=name,
    )

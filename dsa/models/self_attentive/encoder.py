"""Several attentions over the tokens, each with its weighted sum; the encoder with its
penalty for attentions that look at the same tokens; the gated encoder of a pair."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.pooled_encoder import PooledEncoder
from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import PAIR


@keras.saving.register_keras_serializable(package="dsa")
class StructuredAttention(MaskedLayer):
    """Tokens to r weighted sums, joined to one vector.

        A = softmax_l(W_s2 tanh(W_s1 H^T));  M = A H          (r, L) and (r, D)

    Padding has weight 0 in every row of A.

    Args:
        attention_units: d_a, features of the hidden layer.
        hops: r, number of weighted sums.

    Call arguments, beside those of `MaskedLayer`:
        x: H, tensor `(B, L, D)`, such as a Bi-LSTM's states.

    Returns: tensor `(B, r D)`, the rows of M one after the other. `TokenMap`:
        `structured_attention` `(B, L, r)`.

    Reference: Lin et al. 2017, section 2.1.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(StructuredAttention(attention_units=4, hops=3)(x).shape)
        (2, 24)
    """

    def __init__(self, attention_units: int = 150, hops: int = 30, **kwargs: Any):
        super().__init__(**kwargs)
        self.attention_units = attention_units
        self.hops = hops

    def build(self, input_shape):
        def linear(name, shape, units, activation=None):
            options = {"activation": activation, "use_bias": False}
            return self.build_part(keras.layers.Dense, name, shape, units, **options)

        hidden_shape = (*input_shape[:-1], self.attention_units)
        # W_s1 and W_s2
        self.hidden = linear("hidden", input_shape, self.attention_units, "tanh")
        self.scores = linear("scores", hidden_shape, self.hops)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        visible = None if mask is None else mask[:, :, None]
        x = clear_padding(x, mask)
        # (B, L, r): A, transposed
        weights = self.softmax(self.scores(self.hidden(x)), mask=visible)
        # (B, r, D): M
        rows = ops.matmul(ops.transpose(ops.cast(weights, x.dtype), (0, 2, 1)), x)
        # (B, r D)
        vector = ops.reshape(rows, (-1, self.hops * x.shape[-1]))
        if not return_attention:
            return vector
        attention = TokenMap(
            "structured_attention", MapKind.TOKEN_BY_FEATURE, weights, label="attention"
        )
        return vector, [attention]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.hops * input_shape[-1])


def measure_overlap(weights: Tensor) -> Tensor:
    """`||A A^T - I||_F^2` of each sentence: weights `(B, L, r)` to `(B,)`.

    Example:
        >>> apart = ops.array([[[1.0, 0.0], [0.0, 1.0]]])  # each hop has its token
        >>> ops.convert_to_numpy(measure_overlap(apart)).tolist()
        [0.0]
    """
    products = ops.matmul(ops.transpose(weights, (0, 2, 1)), weights)  # (B, r, r)
    identity = ops.eye(weights.shape[-1], dtype=weights.dtype)
    return ops.sum(ops.square(products - identity), axis=(1, 2))


def measure_token_overlap(weights: Tensor, mask: Tensor) -> Tensor:
    """The mean square of an entry of `A^T A - I`, over pairs of real tokens, as the
    authors' code has it: weights `(B, L, r)` and mask `(B, L)` to `(B,)`.

    Example:
        >>> apart = ops.array([[[1.0, 0.0], [0.0, 1.0]]])  # each token has its hop
        >>> real = ops.array([[True, True]])
        >>> ops.convert_to_numpy(measure_token_overlap(apart, real)).tolist()
        [0.0]
    """
    products = ops.matmul(weights, ops.transpose(weights, (0, 2, 1)))  # (B, L, L)
    identity = ops.eye(tensor_shape(weights)[1], dtype=weights.dtype)
    real = ops.cast(mask, weights.dtype)  # (B, L)
    pairs = real[:, :, None] * real[:, None, :]  # (B, L, L)
    squares = ops.square(products - identity) * pairs
    return ops.sum(squares, axis=(1, 2)) / ops.sum(pairs, axis=(1, 2))


@keras.saving.register_keras_serializable(package="dsa")
class SelfAttentiveEncoder(PooledEncoder):
    """A Bi-LSTM's states, pooled by a `StructuredAttention`.

    Args:
        pooling: the `StructuredAttention`.
        context: the `BiLSTM`.
        penalty: coefficient of the penalty.
        penalty_form: "published" for `measure_overlap` of each sentence, "released" for
            `measure_token_overlap`.
        others: as `PooledEncoder`.

    Call arguments, Returns: as `PooledEncoder`.

    Reference: Lin et al. 2017, section 2; "released": `hantek/SelfAttentiveSentEmbed`,
        `segae_gaereg.py`.

    Example:
        >>> from dsa.layers.bilstm import BiLSTM
        >>> encoder = SelfAttentiveEncoder(StructuredAttention(4, hops=3), BiLSTM(2))
        >>> tuple(encoder(ops.ones((2, 5, 8))).shape)
        (2, 12)
    """

    def __init__(
        self,
        pooling: StructuredAttention,
        context: keras.layers.Layer | None = None,
        penalty: float = 0.3,
        penalty_form: str = "published",
        **kwargs: Any,
    ):
        super().__init__(pooling, context, **kwargs)
        self.penalty = penalty
        self.penalty_form = penalty_form

    def penalize(self, maps: list[TokenMap], mask: Tensor) -> Tensor:
        """`penalty` x the mean over the batch of each sentence's overlap, which
        training adds to the loss. Where a batch is filled with copies of a sentence
        (JAX), they count in the mean. Takes the `TokenMap`s of a call and its mask.

        Reference: Lin et al. 2017, section 2.2.
        """
        (weights,) = (one.values for one in maps if one.what == "structured_attention")
        if self.penalty_form == "released":
            return self.penalty * ops.mean(measure_token_overlap(weights, mask))
        return self.penalty * ops.mean(measure_overlap(weights))

    def get_config(self):
        return {
            **super().get_config(),
            "penalty": self.penalty,
            "penalty_form": self.penalty_form,
        }


@keras.saving.register_keras_serializable(package="dsa")
class HopRelation(keras.layers.Layer):
    """Compares two matrices row by row.

        F_h[i] = M_h[i] W_fh[i];  F_p[i] = M_p[i] W_fp[i];  F_r = F_h * F_p

    Args:
        hops: r, rows of the matrices.
        units: F, features in which a row is compared.

    Call arguments:
        premise, hypothesis: M_p and M_h, tensors `(B, r D)`, their rows one after the
            other.

    Returns: F_r, tensor `(B, r F)`.

    Reference: Lin et al. 2017, appendix on the structure for SNLI.

    Example:
        >>> rows = keras.random.normal((2, 12))  # 3 rows of 4 features each
        >>> tuple(HopRelation(hops=3, units=5)(rows, rows).shape)
        (2, 15)
    """

    def __init__(self, hops: int, units: int, **kwargs: Any):
        super().__init__(**kwargs)
        self.hops = hops
        self.units = units

    def build(self, premise_shape, hypothesis_shape=None):  # pyright: ignore[reportIncompatibleMethodOverride]
        features = premise_shape[-1] // self.hops
        limit = (6 / (features + self.units)) ** 0.5  # Glorot's, of the map of one row
        self.premise_maps, self.hypothesis_maps = (
            self.add_weight(
                name=f"{side}_maps",
                shape=(self.hops, features, self.units),
                initializer=keras.initializers.RandomUniform(-limit, limit),
            )
            for side in PAIR
        )

    def call(self, premise: Tensor, hypothesis: Tensor):
        # (B, r, F) each
        of_premise, of_hypothesis = (
            ops.einsum("brd,rdf->brf", self._split_rows(vector), maps)
            for vector, maps in (
                (premise, self.premise_maps),
                (hypothesis, self.hypothesis_maps),
            )
        )
        return ops.reshape(of_premise * of_hypothesis, (-1, self.hops * self.units))

    def _split_rows(self, vector):
        return ops.reshape(vector, (-1, self.hops, vector.shape[-1] // self.hops))

    def compute_output_shape(self, premise_shape, hypothesis_shape=None):
        return (premise_shape[0], self.hops * self.units)


@keras.saving.register_keras_serializable(package="dsa")
class GatedPairClassifier(SentenceModel):
    """One label of a premise and a hypothesis, from their `HopRelation`.

    Args:
        hops, relation_units: `hops` and `units` of the `HopRelation`.
        others: as `SentenceModel`.

    Example:
        >>> from dsa.layers.word_embedding import WordEmbedding
        >>> encoder = PooledEncoder(StructuredAttention(4, hops=3))
        >>> model = GatedPairClassifier(
        ...     WordEmbedding(9, 8), encoder, hops=3, relation_units=5
        ... )
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"premise": ids, "hypothesis": ids}).shape)
        (2, 3)
    """

    sentences = PAIR

    def __init__(self, *args: Any, hops: int, relation_units: int, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.relation = HopRelation(
            hops, relation_units, dtype=self.dtype_policy, name="relation"
        )

    def build_features(self, vector_shape):
        self.relation.build(vector_shape)
        return self.relation.compute_output_shape(vector_shape)

    def features(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        return self.relation(premise, hypothesis)

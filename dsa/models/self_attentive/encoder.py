"""Self-attentive sentence embedding: structured attention, encoder with penalty, and
gated pair classifier."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.pooled_encoder import PooledEncoder
from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import PAIR

PENALTY_FORMS = ("published", "released")


@keras.saving.register_keras_serializable(package="dsa")
class StructuredAttention(MaskedLayer):
    """Structured attention: r weighted sums of the tokens, concatenated.

        A = softmax_l(W_s2 tanh(W_s1 H^T));  M = A H          (r, L) and (r, D)

    Padding has weight 0 in every row of A.

    Args:
        attention_units: d_a, number of features of the hidden layer.
        hops: r, number of weighted sums.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: H, tensor `(B, L, D)`, such as the states of a Bi-LSTM.

    Returns: tensor `(B, r D)`, the concatenated rows of M. With
        `return_attention=True`, also a list with the `TokenMap`
        `structured_attention`: A^T, float32 `(B, L, r)`.

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
        # W_s1
        self.hidden = keras.layers.Dense(
            self.attention_units,
            activation="tanh",
            use_bias=False,
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.hidden.build(input_shape)
        # W_s2
        self.scores = keras.layers.Dense(
            self.hops, use_bias=False, dtype=self.dtype_policy, name="scores"
        )
        self.scores.build((*input_shape[:-1], self.attention_units))
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        H = clear_padding(x, mask)
        # (B, L, r): A, transposed
        hop_mask = None if mask is None else mask[:, :, None]
        weights = self.softmax(self.scores(self.hidden(H)), mask=hop_mask)
        # (B, r, L)
        A = ops.transpose(ops.cast(weights, H.dtype), (0, 2, 1))
        # (B, r, D)
        M = ops.matmul(A, H)
        # (B, r D)
        vector = ops.reshape(M, (-1, self.hops * x.shape[-1]))
        if not return_attention:
            return vector
        token_map = TokenMap(
            "structured_attention", MapKind.TOKEN_BY_FEATURE, weights, label="attention"
        )
        return vector, [token_map]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.hops * input_shape[-1])


def measure_overlap(weights: Tensor) -> Tensor:
    """Computes the penalty term of the paper, `||A A^T - I||_F^2` of each sentence.

    Args:
        weights: A^T, attention weights `(B, L, r)`.

    Returns: tensor `(B,)`.

    Reference: Lin et al. 2017, section 2.2.

    Example:
        >>> apart = ops.array([[[1.0, 0.0], [0.0, 1.0]]])  # one token per hop
        >>> ops.convert_to_numpy(measure_overlap(apart)).tolist()
        [0.0]
    """
    products = ops.matmul(ops.transpose(weights, (0, 2, 1)), weights)  # (B, r, r)
    identity = ops.eye(weights.shape[-1], dtype=weights.dtype)
    return ops.sum(ops.square(products - identity), axis=(1, 2))


def measure_token_overlap(weights: Tensor, mask: Tensor) -> Tensor:
    """Computes the penalty term of the authors' code: the mean square of `A^T A - I`
    over pairs of real tokens.

    Args:
        weights: A^T, attention weights `(B, L, r)`.
        mask: bool tensor `(B, L)`, True = real token.

    Returns: tensor `(B,)`.

    Example:
        >>> apart = ops.array([[[1.0, 0.0], [0.0, 1.0]]])  # one hop per token
        >>> real = ops.array([[True, True]])
        >>> ops.convert_to_numpy(measure_token_overlap(apart, real)).tolist()
        [0.0]
    """
    products = ops.matmul(weights, ops.transpose(weights, (0, 2, 1)))  # (B, L, L)
    identity = ops.eye(tensor_shape(weights)[1], dtype=weights.dtype)
    float_mask = ops.cast(mask, weights.dtype)  # (B, L)
    pair_mask = float_mask[:, :, None] * float_mask[:, None, :]  # (B, L, L)
    squares = ops.square(products - identity) * pair_mask
    return ops.sum(squares, axis=(1, 2)) / ops.sum(pair_mask, axis=(1, 2))


@keras.saving.register_keras_serializable(package="dsa")
class SelfAttentiveEncoder(PooledEncoder):
    """Sentence encoder: a Bi-LSTM pooled by `StructuredAttention`, with a penalty.

    Args:
        pooling: the `StructuredAttention`.
        context: the `BiLSTM`, or another layer `(B, L, D) -> (B, L, D')`; `None` to
            pool the word vectors.
        penalty: coefficient of the penalty.
        penalty_form: "published" for `measure_overlap`, "released" for
            `measure_token_overlap`.
        kwargs: see `PooledEncoder`.

    Call arguments, Returns: see `PooledEncoder`.

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
        check_choice("penalty_form", penalty_form, PENALTY_FORMS)
        self.penalty = penalty
        self.penalty_form = penalty_form

    def penalize(self, maps: list[TokenMap], mask: Tensor) -> Tensor:
        """Computes the penalty that training adds to the loss, a scalar.

        The penalty is `self.penalty` times the mean overlap of the sentences of a
        batch. With several devices, the mean includes the rows that fill the batch.

        Args:
            maps: the `TokenMap`s that a call of this encoder returned.
            mask: bool tensor `(B, L)`, the mask of this call.

        Reference: Lin et al. 2017, section 2.2.
        """
        maps_by_name = {token_map.what: token_map for token_map in maps}
        weights = maps_by_name["structured_attention"].values
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
    """Compares the hops of two sentences by products of linear maps.

        F_h[i] = M_h[i] W_fh[i];  F_p[i] = M_p[i] W_fp[i];  F_r = F_h * F_p

    Args:
        hops: r, number of rows of the matrices.
        units: F, number of output features per pair of rows.

    Call arguments:
        premise, hypothesis: M_p and M_h, tensors `(B, r D)`, with concatenated rows.

    Returns: F_r, tensor `(B, r F)`.

    Reference: Lin et al. 2017, appendix about the SNLI model.

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
        # limit of the Glorot uniform initializer for the matrix of one row
        limit = (6 / (features + self.units)) ** 0.5
        # W_fp and W_fh
        self.premise_maps = self.add_weight(
            name="premise_maps",
            shape=(self.hops, features, self.units),
            initializer=keras.initializers.RandomUniform(-limit, limit),
        )
        self.hypothesis_maps = self.add_weight(
            name="hypothesis_maps",
            shape=(self.hops, features, self.units),
            initializer=keras.initializers.RandomUniform(-limit, limit),
        )

    def call(self, premise: Tensor, hypothesis: Tensor):
        features = premise.shape[-1] // self.hops
        # (B, r, D)
        M_p = ops.reshape(premise, (-1, self.hops, features))
        M_h = ops.reshape(hypothesis, (-1, self.hops, features))
        # (B, r, F)
        F_p = ops.einsum("brd,rdf->brf", M_p, self.premise_maps)
        F_h = ops.einsum("brd,rdf->brf", M_h, self.hypothesis_maps)
        # (B, r F)
        return ops.reshape(F_p * F_h, (-1, self.hops * self.units))

    def compute_output_shape(self, premise_shape, hypothesis_shape=None):
        return (premise_shape[0], self.hops * self.units)


class GatedPairClassifier(SentenceModel):
    """Classifier of a premise and a hypothesis over their `HopRelation`.

    Args:
        hops, relation_units: `hops` and `units` of the `HopRelation`.
        args, kwargs: see `SentenceModel`.

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

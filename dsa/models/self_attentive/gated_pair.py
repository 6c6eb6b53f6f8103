"""The gated encoder of a pair: products of maps that each hop has for itself."""

import keras
from keras import ops

from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import PAIR


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

    def __init__(self, hops, units, **kwargs):
        super().__init__(**kwargs)
        self.hops = hops
        self.units = units

    def build(self, premise_shape, hypothesis_shape=None):
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

    def call(self, premise, hypothesis):
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

    def get_config(self):
        return {**super().get_config(), "hops": self.hops, "units": self.units}


@keras.saving.register_keras_serializable(package="dsa")
class GatedPairClassifier(SentenceModel):
    """One label of a premise and a hypothesis, from their `HopRelation`.

    Args:
        hops, relation_units: `hops` and `units` of the `HopRelation`.
        others: as `SentenceModel`.

    Example:
        >>> from dsa.layers.pooled_encoder import PooledEncoder
        >>> from dsa.layers.word_embedding import WordEmbedding
        >>> from dsa.models.self_attentive.structured_attention import (
        ...     StructuredAttention,
        ... )
        >>> encoder = PooledEncoder(StructuredAttention(4, hops=3))
        >>> model = GatedPairClassifier(
        ...     WordEmbedding(9, 8), encoder, hops=3, relation_units=5
        ... )
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"premise": ids, "hypothesis": ids}).shape)
        (2, 3)
    """

    sentences = PAIR

    def __init__(self, *args, hops, relation_units, **kwargs):
        super().__init__(*args, **kwargs)
        self.relation = HopRelation(
            hops, relation_units, dtype=self.dtype_policy, name="relation"
        )

    def build_features(self, vector_shape):
        self.relation.build(vector_shape)
        return self.relation.compute_output_shape(vector_shape)

    def features(self, premise, hypothesis):
        return self.relation(premise, hypothesis)

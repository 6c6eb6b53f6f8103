"""Addition: the sums of both sentences' word vectors."""

import keras
from keras import ops

from dsa.layers.masks import token_mask
from dsa.models.classifiers.refitted_model import RefittedModel


@keras.saving.register_keras_serializable(package="dsa")
class Addition(RefittedModel):
    """`[sum_i x_i; sum_j y_j; features]`, and a linear classifier over it.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        inputs: the names of the two sentences.
        outputs: number of logits.
        units: D.
        features: number of further features of the pair in `inputs`.
        classifier: see `RefittedModel`.

    Call arguments: see `RefittedModel`.

    Reference: Yin et al. 2016, section 5.2, "Addition" and "Addition(+)".

    Example:
        >>> from dsa.layers.word_embedding import WordEmbedding
        >>> model = Addition(WordEmbedding(9, 4), ("a", "b"), outputs=2, units=4)
        >>> model.build()
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"a": ids, "b": ids}, features_only=True).shape)
        (2, 8)
    """

    def __init__(
        self,
        embedding,
        inputs,
        outputs,
        *,
        units,
        features=0,
        classifier="logistic",
        **kwargs,
    ):
        super().__init__(outputs, classifier, **kwargs)
        self.embedding = embedding
        self.sentences = inputs
        self.features = features
        self.feature_count = 2 * units + features

    def classifier_inputs(self, inputs, training=None, maps=None):
        """The features of pairs, `(B, 2 D + F)`."""
        parts = []
        for name in self.sentences:
            mask = token_mask(inputs[name])[..., None]
            words = ops.where(mask, self.embedding(inputs[name]), 0.0)
            parts.append(ops.sum(ops.cast(words, "float32"), axis=1))
        if self.features:
            parts.append(ops.cast(inputs["features"], "float32"))
        return ops.concatenate(parts, axis=1)

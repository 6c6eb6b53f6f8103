"""ABCNN-1's attention: a second feature map for each sentence, before convolution.

B pairs, P and Q tokens of the two sentences, D features.
"""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class AttentionFeatureMap(keras.layers.Layer):
    """`F_0 = A W_a`, `F_1 = A^T W_a`: for each token the rows of W_a, weighted by how
    well the tokens of the other sentence match it.

    Row j of W_a belongs to position j of the other sentence. Both sentences share W_a.
    Padding has a match of 0, so it gets 0 and gives nothing.

    Args:
        max_tokens: rows of W_a: the longest sentence that there can be.
        features: D.
        l2: the loss has `l2 * sum(W_a^2)` more.

    Call arguments:
        scores: `match_scores`, `(B, P, Q)`.

    Returns: tensors `(B, P, D)` and `(B, Q, D)`.

    Reference: Yin et al. 2016, section 4.1; W_0 = W_1 by footnote 1.
    Differs from the authors' code: there a sentence is in the middle of its padding, so
    that a word's position moves with the length, and W_a sees padding.
    """

    def __init__(self, max_tokens, features, l2=0.0, **kwargs):
        super().__init__(**kwargs)
        self.max_tokens = max_tokens
        self.features = features
        self.l2 = l2

    def build(self, input_shape=None):
        self.map = self.add_weight(
            shape=(self.max_tokens, self.features),
            initializer="glorot_uniform",
            regularizer=keras.regularizers.L2(self.l2) if self.l2 else None,
            name="map",
        )

    def call(self, scores):
        first, second = ops.shape(scores)[1], ops.shape(scores)[2]
        scores = ops.cast(scores, self.compute_dtype)
        # (B, P, D) and (B, Q, D)
        of_first = ops.matmul(scores, self._take_rows(second))
        of_second = ops.matmul(ops.transpose(scores, (0, 2, 1)), self._take_rows(first))
        return of_first, of_second

    def _take_rows(self, count):
        """The rows of W_a of so many positions. Positions after its last row are
        padding, whose scores are 0: any row will do."""
        positions = ops.minimum(ops.arange(count), self.max_tokens - 1)
        return ops.take(self.map, positions, axis=0)

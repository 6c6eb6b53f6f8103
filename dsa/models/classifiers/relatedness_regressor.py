"""How related two sentences are, as a distribution over a scale's whole numbers."""

import keras
from keras import ops

from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import PAIR


@keras.saving.register_keras_serializable(package="dsa")
class RelatednessRegressor(SentenceModel):
    """Logits of the scale's whole numbers; the score is their expectation.

        features = [u * v; |u - v|],  score = sum_k k softmax(logits)_k

    One matrix over both features is Tai's two: `W_1 (u * v) + W_2 |u - v|`.

    Args: as `SentenceModel`.

    Reference: Tai et al. 2015, section 4.2, equation 15; the hidden layer's size and
    activation are the config's.

    Example:
        >>> from dsa.layers.pooled_encoder import PooledEncoder
        >>> from dsa.layers.pooling import MeanPooling
        >>> from dsa.layers.word_embedding import WordEmbedding
        >>> encoder = PooledEncoder(MeanPooling())
        >>> model = RelatednessRegressor(WordEmbedding(9, 8), encoder, outputs=5)
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"premise": ids, "hypothesis": ids}).shape)
        (2, 5)
    """

    sentences = PAIR

    def features(self, first, second):
        return ops.concatenate([first * second, ops.abs(first - second)], axis=-1)

"""The classifier of single sentences that every encoder shares."""

import keras

from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import SINGLE


@keras.saving.register_keras_serializable(package="dsa")
class SentenceClassifier(SentenceModel):
    """One label of a sentence: its vector is the `features`.

    Args: as `SentenceModel`.

    Reference: Shen et al. 2018, sections 5.2 and 5.3.

    Example:
        >>> from dsa.layers.pooled_encoder import PooledEncoder
        >>> from dsa.layers.pooling import MeanPooling
        >>> from dsa.layers.word_embedding import WordEmbedding
        >>> encoder = PooledEncoder(MeanPooling())
        >>> model = SentenceClassifier(WordEmbedding(9, 8), encoder, outputs=2)
        >>> tuple(model({"sentence": keras.ops.array([[3, 4, 5]])}).shape)
        (1, 2)
    """

    sentences = SINGLE

    def features(self, sentence):
        return sentence

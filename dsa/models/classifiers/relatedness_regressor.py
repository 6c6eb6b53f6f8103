"""How related two sentences are, as a distribution over a scale's whole numbers."""

import keras
from keras import ops

from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.inputs import PAIR


@keras.saving.register_keras_serializable(package="dsa")
class RelatednessRegressor(SentenceModel):
    """Logits of the scale's whole numbers; the score is their expectation.

        features = [u * v; |u - v|],  score = sum_k k softmax(logits)_k

    One matrix over both features is Tai's two: `W_1 (u * v) + W_2 |u - v|`.

    Args: as `SentenceModel`.

    Reference: Tai et al. 2015, section 4.2, equation 15; the hidden layer's size and
    activation are the config's.
    """

    sentences = PAIR

    def features(self, first, second):
        return ops.concatenate([first * second, ops.abs(first - second)], axis=-1)

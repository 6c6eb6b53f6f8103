"""The classifier of single sentences that every encoder shares."""

import keras

from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.inputs import SINGLE


@keras.saving.register_keras_serializable(package="dsa")
class SentenceClassifier(SentenceModel):
    """One label of a sentence: its vector is the `features`.

    Args: as `SentenceModel`.

    Reference: Shen et al. 2018, sections 5.2 and 5.3.
    """

    sentences = SINGLE

    def features(self, sentence):
        return sentence

"""The classifier of sentence pairs that every encoder shares."""

import keras
from keras import ops

from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import PAIR

DIFFERENCES = ("absolute", "signed")


@keras.saving.register_keras_serializable(package="dsa")
class SentencePairClassifier(SentenceModel):
    """One label of a premise and a hypothesis.

        features = [u; v; |u - v|; u * v]

    DiSAN's takes `u - v` with its sign and ELU, has no LN, and decays both matrices.

    Args:
        difference: "absolute" or "signed".
        others: as `SentenceModel`.

    Raises: `ValueError` for an unknown `difference`.

    Reference: Im & Cho 2017, section 4.1, figure 1; Shen et al. 2018, section 5.1. The
    DSA paper names no dropout of the features.

    Example:
        >>> from dsa.layers.pooled_encoder import PooledEncoder
        >>> from dsa.layers.pooling import MeanPooling
        >>> from dsa.layers.word_embedding import WordEmbedding
        >>> encoder = PooledEncoder(MeanPooling())
        >>> model = SentencePairClassifier(WordEmbedding(9, 8), encoder)
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"premise": ids, "hypothesis": ids}).shape)
        (2, 3)
    """

    sentences = PAIR

    def __init__(self, *args, difference="absolute", **kwargs):
        super().__init__(*args, **kwargs)
        if difference not in DIFFERENCES:
            raise ValueError(
                f"`difference` must be one of {DIFFERENCES}. Received: {difference!r}"
            )
        self.difference = difference

    def features(self, premise, hypothesis):
        difference = premise - hypothesis
        if self.difference == "absolute":
            difference = ops.abs(difference)
        return ops.concatenate(
            [premise, hypothesis, difference, premise * hypothesis], axis=-1
        )

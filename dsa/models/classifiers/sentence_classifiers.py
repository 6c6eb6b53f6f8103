"""The classifiers that can be put on a sentence encoder; a task names its own."""

from typing import Any

import keras
from keras import ops

from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import Tensor
from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import PAIR, SINGLE

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
    unused_settings = frozenset()

    def __init__(self, *args: Any, difference: str = "absolute", **kwargs: Any):
        super().__init__(*args, **kwargs)
        check_choice("difference", difference, DIFFERENCES)
        self.difference = difference

    def features(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        difference = premise - hypothesis
        if self.difference == "absolute":
            difference = ops.abs(difference)
        return ops.concatenate(
            [premise, hypothesis, difference, premise * hypothesis], axis=-1
        )


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

    def features(self, sentence: Tensor) -> Tensor:
        return sentence


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

    def features(self, first: Tensor, second: Tensor) -> Tensor:
        return ops.concatenate([first * second, ops.abs(first - second)], axis=-1)


HEADS = {  # by a task's `head`
    "pair_classifier": SentencePairClassifier,
    "sentence_classifier": SentenceClassifier,
    "relatedness_regressor": RelatednessRegressor,
}

"""Classifiers and a regressor over a sentence encoder, selected by `Task.head`."""

from keras import ops

from dsa.layers.masks import Tensor
from dsa.models.classifiers.sentence_model import SentenceModel
from dsa.tasks.task import PAIR, SINGLE


class SentencePairClassifier(SentenceModel):
    """Classifier of sentence pairs.

        features = [u; v; |u - v|; u * v]

    u is the premise vector, v the hypothesis vector. The classifier of DiSAN uses the
    signed difference `u - v`, ELU, weight decay of both matrices, and no LN.

    Args: see `SentenceModel`.

    Reference: Im & Cho 2017, section 4.1, figure 1; Shen et al. 2018, section 5.1. The
    DSA paper does not mention dropout of the features.

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

    def features(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        difference = premise - hypothesis
        if self.difference == "absolute":
            difference = ops.abs(difference)
        return ops.concatenate(
            [premise, hypothesis, difference, premise * hypothesis], axis=-1
        )


class SentenceClassifier(SentenceModel):
    """Classifier of single sentences. The features are the sentence vector.

    Args: see `SentenceModel`.

    Reference: Shen et al. 2018, sections 5.2 and 5.3.

    Example:
        >>> from dsa.layers.pooled_encoder import PooledEncoder
        >>> from dsa.layers.pooling import MeanPooling
        >>> from dsa.layers.word_embedding import WordEmbedding
        >>> encoder = PooledEncoder(MeanPooling())
        >>> model = SentenceClassifier(WordEmbedding(9, 8), encoder, outputs=2)
        >>> tuple(model({"sentence": ops.array([[3, 4, 5]])}).shape)
        (1, 2)
    """

    sentences = SINGLE

    def features(self, sentence: Tensor) -> Tensor:
        return sentence


class RelatednessRegressor(SentenceModel):
    """Regressor of the relatedness of two sentences, on a scale of K integers such as
    1 to 5.

        features = [u * v; |u - v|]
        score = sum_k (lowest + k) softmax(logits)_k, k = 0 .. K - 1

    The score is computed by the task.

    One matrix over the concatenated features is equivalent to the two matrices of the
    paper, `W_1 (u * v) + W_2 |u - v|`.

    Args: see `SentenceModel`.

    Reference: Tai et al. 2015, section 4.2, equation 15. Size and activation of the
    hidden layer are settings.

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


SENTENCE_MODELS = {  # by the `head` of a task
    "pair_classifier": SentencePairClassifier,
    "sentence_classifier": SentenceClassifier,
    "relatedness_regressor": RelatednessRegressor,
}

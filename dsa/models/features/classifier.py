"""Features of a sentence pair, and a linear classifier over them.

Bowman et al. 2015 (arXiv:1508.05326), section 3.2. Features that need tagged text are
not implemented: the overlaps of nouns, verbs, adjectives and adverbs, the
cross-bigrams, and the restriction of cross-unigrams to one part of speech.
"""

import itertools
from collections import Counter
from typing import Any

import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from scipy import sparse

from dsa.data.words.vocabulary import UNKNOWN
from dsa.models.classifiers.linear import LinearClassifier
from dsa.system.terminal import show_progress

DENSE = (
    *(f"BLEU-{n}" for n in range(1, 5)),
    "length difference",
    "overlap",
    "share of the possible overlap",
)
BLEU_WEIGHTS = [(1 / n,) * n for n in range(1, 5)]
SMOOTHING = SmoothingFunction().method1


def dense_features(premise, hypothesis):
    """Returns the unlexicalised features, `DENSE`, of two lists of token ids.

    Unknown words never overlap, not even with each other.
    """
    number = itertools.count(1)  # negative ids, all different, replace unknown words
    premise = [i if i != UNKNOWN else -next(number) for i in premise]
    hypothesis = [i if i != UNKNOWN else -next(number) for i in hypothesis]
    possible = min(len(premise), len(hypothesis))
    shared = sum((Counter(premise) & Counter(hypothesis)).values())
    bleu: Any = [0.0] * len(BLEU_WEIGHTS)
    if possible:
        bleu = sentence_bleu([premise], hypothesis, BLEU_WEIGHTS, SMOOTHING)
    difference = len(hypothesis) - len(premise)
    return [*bleu, difference, shared, shared / max(possible, 1)]


def lexical_features(premise, hypothesis, vocabulary_size):
    """Returns the words and bigrams of the hypothesis and the cross-unigrams of a pair.

    Args:
        premise, hypothesis: int arrays of token ids.
        vocabulary_size: V.

    Returns: sorted, distinct int64 codes: v for a word v, V + v V + w for a bigram v w,
        and V + V^2 + v V + w for v in the premise and w in the hypothesis.
    """
    v = np.int64(vocabulary_size)
    hypothesis = hypothesis.astype(np.int64)
    bigrams = v + hypothesis[:-1] * v + hypothesis[1:]
    crossed = premise.astype(np.int64)[:, None] * v + hypothesis
    return np.unique(
        np.concatenate([hypothesis, bigrams, v + v * v + crossed.reshape(-1)])
    )


class FeatureClassifier(LinearClassifier):
    """A linear classifier of sentence pairs over sparse features.

    A new classifier has neither features nor weights: call `learn_features` and
    `set_weights`, or `load`.

    Args:
        config: the `FeaturesConfig`.
        vocabulary_size: number of ids, padding and unknown included.
        outputs: K, number of logits.

    Attributes:
        codes: `(F,)`, the sorted codes of the selected `lexical_features`.
        mean, deviation: `(D,)`, statistics of the dense features.
        kernel: `(D + F, K)`, the dense features first.
        bias: `(K,)`.
    """

    logit_type = np.float32
    words = "the feature-based classifier"

    def __init__(self, config, vocabulary_size, outputs):
        self.config = config
        self.vocabulary_size = vocabulary_size
        self.outputs = outputs
        self.record = {"vocabulary_size": vocabulary_size}

    def learn_features(self, rows):
        """Selects the features from training pairs, `ModelRows`, and returns their
        matrix, see `features`."""
        dense, lists = self._read(rows)
        codes, counts = np.unique(np.concatenate(lists), return_counts=True)
        deviation = dense.std(axis=0)
        self.codes = codes[counts >= self.config.minimum_count]
        self.mean = dense.mean(axis=0)
        self.deviation = np.where(deviation == 0, 1, deviation)
        return self._matrix(dense, lists)

    def features(self, rows):
        """Returns the sparse features `(N, D + F)` of pairs, `ModelRows`."""
        return self._matrix(*self._read(rows))

    def layout(self, arrays):
        dense, codes = len(DENSE), np.size(arrays.get("codes", ()))
        return {
            "codes": (np.int64, codes),
            "mean": (np.float64, dense),
            "deviation": (np.float64, dense),
            "kernel": (np.float64, dense + codes, self.outputs),
            "bias": (np.float64, self.outputs),
        }

    def are_sound(self, arrays):
        increasing = (np.diff(arrays["codes"]) > 0).all()
        positive = (arrays["deviation"] > 0).all()
        return super().are_sound(arrays) and increasing and positive

    def _read(self, rows):
        """Returns the dense features `(N, D)`, and the lexical codes as N arrays."""
        sentences, texts = rows.sentences, rows.texts
        dense, lists = np.empty((len(texts), len(DENSE))), []
        pairs = show_progress(texts, "computing features", len(texts))
        for row, pair in enumerate(pairs):
            premise, hypothesis = (
                sentences.ids[sentences.offsets[text] : sentences.offsets[text + 1]]
                for text in pair
            )
            dense[row] = dense_features(premise.tolist(), hypothesis.tolist())
            codes = np.empty(0, np.int64)
            if self.config.lexical:
                codes = lexical_features(premise, hypothesis, self.vocabulary_size)
            lists.append(codes)
        return dense, lists

    def _matrix(self, dense, lists):
        """Joins standardized dense features and known lexical features."""
        dense = sparse.csr_array((dense - self.mean) / self.deviation)
        offsets = np.cumsum([0, *map(len, lists)])
        codes = np.concatenate([np.empty(0, np.int64), *lists])
        columns = np.searchsorted(self.codes, codes)
        known = columns < len(self.codes)
        known[known] = self.codes[columns[known]] == codes[known]
        offsets = np.concatenate([[0], np.cumsum(known)])[offsets]
        ones = np.ones(offsets[-1])
        shape = (len(lists), len(self.codes))
        lexical = sparse.csr_array((ones, columns[known], offsets), shape)
        return sparse.hstack([dense, lexical], format="csr")

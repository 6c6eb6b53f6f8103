"""Features of sentence pairs, and a linear classifier over these features.

Reference: Bowman et al. 2015 (arXiv:1508.05326), section 3.2. The features that require
part-of-speech tags are not implemented: the overlaps of nouns, verbs, adjectives and
adverbs, the cross-bigrams, and the restriction of cross-unigrams to words with the same
part of speech.
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
    "BLEU-1",
    "BLEU-2",
    "BLEU-3",
    "BLEU-4",
    "length difference",
    "overlap",
    "share of the possible overlap",
)
BLEU_WEIGHTS = [(1 / n,) * n for n in range(1, 5)]
BLEU_SMOOTHING = SmoothingFunction().method1


def compute_dense_features(premise, hypothesis):
    """Returns the unlexicalised features `DENSE` of two lists of token ids.

    Unknown words do not overlap with any word.
    """
    # replace unknown words by distinct negative ids
    new_ids = itertools.count(-1, -1)
    premise = [next(new_ids) if word == UNKNOWN else word for word in premise]
    hypothesis = [next(new_ids) if word == UNKNOWN else word for word in hypothesis]
    max_overlap = min(len(premise), len(hypothesis))
    overlap = sum((Counter(premise) & Counter(hypothesis)).values())
    bleu: Any = [0.0] * len(BLEU_WEIGHTS)
    if max_overlap:
        bleu = sentence_bleu([premise], hypothesis, BLEU_WEIGHTS, BLEU_SMOOTHING)
    difference = len(hypothesis) - len(premise)
    return [*bleu, difference, overlap, overlap / max(max_overlap, 1)]


def compute_lexical_features(premise, hypothesis, vocabulary_size):
    """Returns the words and bigrams of the hypothesis and the cross-unigrams of a pair.

    Args:
        premise, hypothesis: int arrays of token ids.
        vocabulary_size: V.

    Returns: int64 array of sorted, distinct codes: v for a word v of the hypothesis,
        V + v V + w for a bigram v w of the hypothesis, and V + V^2 + v V + w for a word
        v of the premise and a word w of the hypothesis.
    """
    V = np.int64(vocabulary_size)
    hypothesis = hypothesis.astype(np.int64)
    bigrams = V + hypothesis[:-1] * V + hypothesis[1:]
    cross_unigrams = premise.astype(np.int64)[:, None] * V + hypothesis
    cross_unigrams = V + V * V + cross_unigrams.reshape(-1)
    return np.unique(np.concatenate([hypothesis, bigrams, cross_unigrams]))


class FeatureClassifier(LinearClassifier):
    """Linear classifier of sentence pairs over sparse features.

    A new classifier has no features and no weights. Call `fit_features` and
    `set_weights`, or `load`.

    Args:
        config: the `FeaturesConfig`.
        vocabulary_size: number of ids, including padding and unknown words.
        outputs: K, number of logits.

    Attributes:
        codes: array `(F,)`, sorted codes of the selected `compute_lexical_features`.
        mean: array `(D,)`, means of the dense features in training.
        deviation: array `(D,)`, standard deviations of the dense features in training.
        kernel: array `(D + F, K)`, with the dense features first.
        bias: array `(K,)`.
    """

    logit_type = np.float32
    description = "the feature-based classifier"

    def __init__(self, config, vocabulary_size, outputs):
        self.config = config
        self.vocabulary_size = vocabulary_size
        self.outputs = outputs
        self.record = {"vocabulary_size": vocabulary_size}

    def fit_features(self, rows):
        """Selects the features and returns the sparse features `(N, D + F)` of pairs.

        Args:
            rows: training pairs, `ModelRows`.
        """
        dense, row_codes = self._compute(rows)
        codes, counts = np.unique(np.concatenate(row_codes), return_counts=True)
        deviation = dense.std(axis=0)
        self.codes = codes[counts >= self.config.minimum_count]
        self.mean = dense.mean(axis=0)
        self.deviation = np.where(deviation == 0, 1, deviation)
        return self._join(dense, row_codes)

    def features(self, rows):
        """Returns the sparse features `(N, D + F)` of pairs, `ModelRows`."""
        dense, row_codes = self._compute(rows)
        return self._join(dense, row_codes)

    def layout(self, arrays):
        dense, codes = len(DENSE), np.size(arrays.get("codes", ()))
        return {
            "codes": (np.int64, codes),
            "mean": (np.float64, dense),
            "deviation": (np.float64, dense),
            "kernel": (np.float64, dense + codes, self.outputs),
            "bias": (np.float64, self.outputs),
        }

    def are_valid(self, arrays):
        increasing = (np.diff(arrays["codes"]) > 0).all()
        positive = (arrays["deviation"] > 0).all()
        return super().are_valid(arrays) and increasing and positive

    def _compute(self, rows):
        """Computes the features of pairs.

        Args:
            rows: the pairs, `ModelRows`.

        Returns: dense features `(N, D)`, and a list of N arrays of lexical codes.
        """
        sentences, sentence_indices = rows.sentences, rows.sentence_indices
        dense = np.empty((len(sentence_indices), len(DENSE)))
        row_codes = []
        pairs = show_progress(sentence_indices, "computing features", len(rows))
        for row, pair in enumerate(pairs):
            premise, hypothesis = (
                sentences.ids[sentences.offsets[index] : sentences.offsets[index + 1]]
                for index in pair
            )
            dense[row] = compute_dense_features(premise.tolist(), hypothesis.tolist())
            codes = np.empty(0, np.int64)
            if self.config.lexical:
                codes = compute_lexical_features(
                    premise, hypothesis, self.vocabulary_size
                )
            row_codes.append(codes)
        return dense, row_codes

    def _join(self, dense, row_codes):
        """Joins standardized dense features and the selected lexical features.

        Args:
            dense, row_codes: the features, from `_compute`.

        Returns: sparse array `(N, D + F)`.
        """
        dense = sparse.csr_array((dense - self.mean) / self.deviation)
        codes = np.concatenate([np.empty(0, np.int64), *row_codes])
        # a code is selected if it is at its insertion position in `self.codes`
        columns = np.searchsorted(self.codes, codes)
        in_range = np.flatnonzero(columns < len(self.codes))
        is_selected = np.zeros(len(codes), bool)
        is_selected[in_range] = self.codes[columns[in_range]] == codes[in_range]
        # first position of each row among all codes, then among the selected codes
        offsets = np.cumsum([0, *map(len, row_codes)])
        offsets = np.concatenate([[0], np.cumsum(is_selected)])[offsets]
        ones = np.ones(offsets[-1])
        shape = (len(row_codes), len(self.codes))
        lexical = sparse.csr_array((ones, columns[is_selected], offsets), shape)
        return sparse.hstack([dense, lexical], format="csr")

"""Features of sentence pairs, and a linear classifier over these features.

Reference: Bowman et al. 2015 (arXiv:1508.05326), section 3.2. Features that require
part-of-speech tags are not implemented: word overlap by part of speech, cross-bigrams,
and cross-unigrams restricted to words with the same part of speech.
"""

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from scipy import sparse

from dsa.data.rows.row_reader import measure_scale
from dsa.data.words.vocabulary import UNKNOWN
from dsa.models.classifiers.linear import LinearClassifier
from dsa.system.terminal import show_progress

if TYPE_CHECKING:
    from dsa.data.rows.model_rows import ModelRows
    from dsa.models.features.config import FeaturesConfig

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


def compute_dense_features(premise: list[int], hypothesis: list[int]) -> list[float]:
    """Computes the unlexicalized features of a pair, in the order of `DENSE`.

    Unknown words do not overlap with any word.

    Args:
        premise, hypothesis: lists of token ids.
    """
    new_ids = itertools.count(-1, -1)
    premise = _replace_unknown(premise, new_ids)
    hypothesis = _replace_unknown(hypothesis, new_ids)
    max_overlap = min(len(premise), len(hypothesis))
    overlap = sum((Counter(premise) & Counter(hypothesis)).values())
    bleu: Any = [0.0] * len(BLEU_WEIGHTS)
    if max_overlap:
        bleu = sentence_bleu([premise], hypothesis, BLEU_WEIGHTS, BLEU_SMOOTHING)
    difference = len(hypothesis) - len(premise)
    return [*bleu, difference, overlap, overlap / max(max_overlap, 1)]


def _replace_unknown(words, new_ids):
    """Replaces unknown words with distinct ids from the iterator `new_ids`."""
    return [next(new_ids) if word == UNKNOWN else word for word in words]


def compute_lexical_features(
    premise: np.ndarray, hypothesis: np.ndarray, vocabulary_size: int
) -> np.ndarray:
    """Computes the codes of the lexical features of a pair.

    The code of a word v of the hypothesis is v. The code of a bigram v w of the
    hypothesis is V + v V + w. The code of a cross-unigram, a word v of the premise and
    a word w of the hypothesis, is V + V^2 + v V + w.

    Args:
        premise, hypothesis: int arrays of token ids.
        vocabulary_size: V, number of token ids.

    Returns: int64 array, sorted distinct codes.
    """
    V = np.int64(vocabulary_size)
    hypothesis = hypothesis.astype(np.int64)
    bigrams = V + hypothesis[:-1] * V + hypothesis[1:]
    cross_unigrams = premise.astype(np.int64)[:, None] * V + hypothesis
    cross_unigrams = V + V * V + cross_unigrams.reshape(-1)
    return np.unique(np.concatenate([hypothesis, bigrams, cross_unigrams]))


class FeatureClassifier(LinearClassifier):
    """Linear classifier of sentence pairs over sparse features.

    A new classifier has no features and no weights. Call `fit_features` and then
    `set_weights`, or `load`.

    Args:
        config: the `FeaturesConfig`.
        vocabulary_size: number of token ids, including padding and unknown words.
        outputs: K, number of logits.

    Attributes:
        codes: int64 array `(F,)`, sorted codes of the selected lexical features.
        mean: float64 array `(D,)`, means of the dense features on the training pairs.
        deviation: float64 array `(D,)`, their standard deviations.
        kernel: float64 array `(D + F, K)`, with the dense features first.
        bias: float64 array `(K,)`.
    """

    logit_type = np.float32
    description = "the feature-based classifier"

    def __init__(self, config: "FeaturesConfig", vocabulary_size: int, outputs: int):
        self.config = config
        self.vocabulary_size = vocabulary_size
        self.outputs = outputs
        self.metadata = {"vocabulary_size": vocabulary_size}

    def fit_features(self, rows: "ModelRows") -> sparse.csr_array:
        """Selects lexical features, and fits mean and deviation of the dense features.

        Args:
            rows: `ModelRows`, the training pairs.

        Returns: sparse array `(N, D + F)`, the features of these pairs.
        """
        dense, row_codes = self._compute(rows)
        codes, counts = np.unique(np.concatenate(row_codes), return_counts=True)
        self.codes = codes[counts >= self.config.minimum_count]
        self.mean, self.deviation = measure_scale(dense)
        return self._join(dense, row_codes)

    def features(self, rows: "ModelRows") -> sparse.csr_array:
        """Computes the features of `ModelRows`, a sparse array `(N, D + F)`."""
        dense, row_codes = self._compute(rows)
        return self._join(dense, row_codes)

    def layout(self, arrays: Mapping[str, Any]) -> dict[str, tuple]:
        num_dense = len(DENSE)
        num_codes = np.size(arrays.get("codes", ()))
        return {
            "codes": (np.int64, num_codes),
            "mean": (np.float64, num_dense),
            "deviation": (np.float64, num_dense),
            "kernel": (np.float64, num_dense + num_codes, self.outputs),
            "bias": (np.float64, self.outputs),
        }

    def are_valid(self, arrays: dict[str, np.ndarray]) -> bool:
        is_sorted = bool((np.diff(arrays["codes"]) > 0).all())
        is_positive = bool((arrays["deviation"] > 0).all())
        return super().are_valid(arrays) and is_sorted and is_positive

    def _compute(self, rows):
        """Computes the features of pairs.

        Args:
            rows: `ModelRows`, the pairs.

        Returns: tuple of the dense features, float array `(N, D)`, and a list of N
            arrays, the codes of all lexical features of each pair.
        """
        dense = np.empty((len(rows), len(DENSE)))
        row_codes = []
        pairs = show_progress(rows.sentence_indices, "computing features", len(rows))
        for row, (premise_index, hypothesis_index) in enumerate(pairs):
            premise = _get_sentence_ids(rows.sentences, premise_index)
            hypothesis = _get_sentence_ids(rows.sentences, hypothesis_index)
            dense[row] = compute_dense_features(premise.tolist(), hypothesis.tolist())
            codes = np.empty(0, np.int64)
            if self.config.lexical:
                codes = compute_lexical_features(
                    premise, hypothesis, self.vocabulary_size
                )
            row_codes.append(codes)
        return dense, row_codes

    def _join(self, dense, row_codes):
        """Standardizes the dense features and appends the selected lexical features.

        Args:
            dense, row_codes: the results of `_compute`.

        Returns: sparse array `(N, D + F)`.
        """
        dense = sparse.csr_array((dense - self.mean) / self.deviation)
        codes = np.concatenate([np.empty(0, np.int64), *row_codes])
        # a code is selected if it is at its insertion position in `self.codes`
        columns = np.searchsorted(self.codes, codes)
        in_range = np.flatnonzero(columns < len(self.codes))
        is_selected = np.zeros(len(codes), bool)
        is_selected[in_range] = self.codes[columns[in_range]] == codes[in_range]
        # start of each row among all codes
        row_starts = np.cumsum([0, *map(len, row_codes)])
        # start of each row among the selected codes
        num_selected_before = np.concatenate([[0], np.cumsum(is_selected)])
        offsets = num_selected_before[row_starts]
        ones = np.ones(offsets[-1])
        shape = (len(row_codes), len(self.codes))
        lexical = sparse.csr_array((ones, columns[is_selected], offsets), shape)
        return sparse.hstack([dense, lexical], format="csr")


def _get_sentence_ids(sentences, index):
    """Returns the token ids of a sentence, int array `(L,)`."""
    return sentences.ids[sentences.offsets[index] : sentences.offsets[index + 1]]

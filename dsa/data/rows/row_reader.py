"""Conversion of prepared corpora to model inputs."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.data.words.vocabulary import UNKNOWN, Vocabulary
from dsa.errors import InputError
from dsa.tasks.task import NONOVERLAP

# The code of the pair features is imported only if a run uses pair features.
if TYPE_CHECKING:
    from dsa.data.pair_features.groups import FeatureSettings
    from dsa.data.pair_features.statistics import FeatureStatistics

EMPTY_TOKEN = "<empty>"  # the token of empty and hidden sentences


@dataclasses.dataclass(frozen=True)
class RowReader:
    """Converts corpus rows to model inputs.

    Args:
        inputs: names of the sentence inputs, such as `("premise", "hypothesis")`.
        feature_settings: settings of the pair features; `None` for a model without
            pair features.
        nonoverlap: whether to add two inputs: both sentences of a pair without the
            words that they share.
        standardize: whether to standardize features by their mean and standard
            deviation over the training rows.
        feature_statistics: statistics of the training rows, set by `fit`.
        mean_and_std: mean and standard deviation of each feature over the training
            rows in the original order of their sentences, `(2, F)`, set by `fit`.
        root: the data root, which is searched for WordNet.
    """

    inputs: tuple[str, ...]
    feature_settings: "FeatureSettings | None" = None
    nonoverlap: bool = False
    standardize: bool = False
    feature_statistics: "FeatureStatistics | None" = None
    mean_and_std: np.ndarray | None = None
    root: Path | None = None

    def fit(
        self,
        corpus: PreparedCorpus,
        task: Any,
        find_vector: Callable[[str], np.ndarray | None],
    ) -> "RowReader":
        """Returns a copy with the feature statistics of the training rows.

        Without pair features, the reader itself is returned.

        Args:
            corpus: the corpus that contains the training rows.
            task: the task of the corpus.
            find_vector: function that maps a word to its vector, or to `None` if the
                word has no vector.
        """
        if self.feature_settings is None:
            return self
        from dsa.data.pair_features.statistics import FeatureStatistics

        rows = corpus.labelled
        pairs = list_row_words(corpus, rows)
        labels = [task.names[label_id] for label_id in corpus.labels[rows]]
        statistics = FeatureStatistics.fit(
            self.feature_settings, pairs, labels, find_vector, root=self.root
        )
        reader = dataclasses.replace(self, feature_statistics=statistics)
        features = reader._compute_features(pairs, is_train=True, use_cache=True)
        return dataclasses.replace(reader, mean_and_std=measure_scale(features))

    def list_first_row_words(self, corpus: PreparedCorpus) -> dict[str, list[str]]:
        """Returns `{input: words}` of the first row of a corpus."""
        names = list(self.inputs)
        sentences = list_tokens(corpus, corpus.sentence_indices[0])
        if self.nonoverlap:
            from dsa.data.pair_features.pair import remove_overlap

            names += NONOVERLAP
            sentences += remove_overlap(*sentences)
        words_by_input = {}
        for name, tokens in zip(names, sentences, strict=True):
            words = [
                EMPTY_TOKEN if token < 0 else corpus.words[token] for token in tokens
            ]
            words_by_input[name] = words or [EMPTY_TOKEN]
        return words_by_input

    def convert(
        self,
        corpus: PreparedCorpus,
        vocabulary: Vocabulary,
        rows: np.ndarray | None = None,
        is_train: bool = False,
    ) -> ModelRows:
        """Returns the model inputs of corpus rows.

        Args:
            corpus: the corpus.
            vocabulary: the vocabulary of the model.
            rows: positions in the corpus, `(N,)`; `None` for all rows.
            is_train: whether the rows are the training rows of `fit`.

        Raises: `InputError` if a feature is not a finite number.
        """
        if rows is None:
            rows = np.arange(len(corpus))
        sentences = vocabulary.sentences(corpus)
        sentence_indices = corpus.sentence_indices[rows]
        inputs = self.inputs
        if self.nonoverlap:
            inputs = (*inputs, *NONOVERLAP)
            sentences, sentence_indices = _add_nonoverlap(
                corpus, rows, vocabulary, sentences
            )
        features = None
        if self.feature_settings is not None:
            features = self._compute_row_features(corpus, rows, is_train)
        return ModelRows(sentences, sentence_indices, inputs, features)

    def _compute_row_features(self, corpus, rows, is_train):
        """Returns the pair features of corpus rows, standardized if `standardize`,
        float32 `(N, F)`."""
        settings: Any = self.feature_settings
        pairs = list_row_words(corpus, rows)
        # examples in memory have no fingerprint, and their features are not cached
        use_cache = bool(corpus.fingerprint)
        features = self._compute_features(pairs, is_train, use_cache)
        if self.standardize:
            if self.mean_and_std is None:
                raise ValueError("`fit` must be called before `convert`.")
            mean, std = self.mean_and_std
            features = (features - mean) / std
        row_ids = [corpus.ids[row] for row in rows]
        _check_finite(features, row_ids, settings.columns)
        return features.astype(np.float32)

    def _compute_features(self, pairs, is_train, use_cache):
        """Returns the features of tokenized pairs, `(N, F)`, from the cache if
        `use_cache` and possible."""
        from dsa.data.pair_features.compute import (
            compute_features,
            load_or_compute_features,
        )

        settings, statistics = self.feature_settings, self.feature_statistics
        if settings is None or statistics is None:
            raise ValueError("`fit` must be called before `convert`.")
        if use_cache:
            return load_or_compute_features(
                settings, statistics, pairs, is_train, root=self.root
            )
        return compute_features(settings, statistics, pairs, is_train, root=self.root)


def list_row_words(
    corpus: PreparedCorpus, rows: np.ndarray
) -> list[tuple[list[str], ...]]:
    """Returns a tuple for each row, with the list of words of each sentence. The
    unknown word is omitted."""
    distinct = np.unique(corpus.sentence_indices[rows]).tolist()
    words = {}  # words by sentence index
    for index, tokens in zip(distinct, list_tokens(corpus, distinct), strict=True):
        words[index] = [corpus.words[token] for token in tokens if token >= 0]
    return [
        tuple(words[index] for index in indices)
        for indices in corpus.sentence_indices[rows].tolist()
    ]


def list_tokens(
    corpus: PreparedCorpus, sentence_indices: Sequence[int] | np.ndarray
) -> list[list[int]]:
    """Returns the tokens of each sentence, as indices into `corpus.words`; -1 is the
    unknown word."""
    ids, offsets = corpus.sentences.ids, corpus.sentences.offsets
    return [
        ids[offsets[index] : offsets[index + 1]].tolist() for index in sentence_indices
    ]


def _add_nonoverlap(corpus, rows, vocabulary, sentences):
    """Adds both sentences of each pair without their shared words.

    Returns: the extended `Sentences`, and the four sentence indices of each row, int32
        `(N, 4)`.
    """
    from dsa.data.pair_features.pair import remove_overlap

    word_ids = vocabulary.ids(corpus.words).tolist()
    empty_sentence = vocabulary.ids([EMPTY_TOKEN]).tolist()
    pairs = corpus.sentence_indices[rows]
    nonoverlap = []
    for pair in pairs.tolist():
        for tokens in remove_overlap(*list_tokens(corpus, pair)):
            ids = [UNKNOWN if token < 0 else word_ids[token] for token in tokens]
            nonoverlap.append(ids or empty_sentence)
    new_indices = len(sentences) + np.arange(2 * len(rows)).reshape(-1, 2)
    sentence_indices = np.concatenate([pairs, new_indices], axis=1).astype(np.int32)
    return sentences.join(Sentences.from_lists(nonoverlap)), sentence_indices


def _check_finite(features, row_ids, feature_names):
    """Raises `InputError` for the first feature that is infinite or NaN."""
    is_finite = np.isfinite(features)
    if not is_finite.all():
        row, column = np.argwhere(~is_finite)[0]
        raise InputError(
            f"row {row_ids[row]}: the feature {feature_names[column]!r} must be a "
            f"finite number. Received: {features[row, column]}"
        )


def measure_scale(features: np.ndarray) -> np.ndarray:
    """Returns the mean and the standard deviation of features, float64 `(2, D)`.

    The deviation of a constant feature is 1, so that it is not divided by the rounding
    error of its mean.

    Args:
        features: array `(N, D)`.
    """
    mean = features.mean(axis=0)
    std = features.std(axis=0)
    std[std <= 1e-9 * np.maximum(np.abs(mean), 1)] = 1
    return np.stack([mean, std])

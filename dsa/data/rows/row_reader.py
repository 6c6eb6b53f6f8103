"""Conversion of prepared corpora to model inputs."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.data.words.vocabulary import UNKNOWN
from dsa.errors import InputError
from dsa.tasks.task import NONOVERLAP

EMPTY = "<empty>"  # token of an empty or hidden sentence


@dataclasses.dataclass(frozen=True)
class RowReader:
    """Converts corpus rows to model inputs.

    The code for features is imported only if a run uses features.

    Args:
        inputs: names of the sentences of the task.
        settings: the `FeatureSettings`; `None` for no features.
        nonoverlap: whether to add each pair without its shared words.
        standardize: whether to standardize features by their mean and standard
            deviation over the training rows.
        statistics: the `FeatureStatistics` of the training rows, set by `learn`.
        scale: mean and standard deviation of each feature, `(2, F)`, set by `learn`.
        root: the data root, which is searched for WordNet.
    """

    inputs: tuple[str, ...]
    settings: Any = None
    nonoverlap: bool = False
    standardize: bool = False
    statistics: Any = None
    scale: Any = None
    root: Path | None = None

    def learn(self, corpus, task, vectors):
        """Returns a copy with the feature statistics of the training rows.

        Args:
            corpus: the `PreparedCorpus` of the training rows.
            task: the task of the corpus.
            vectors: function that returns the vector of a word, or `None`.
        """
        if self.settings is None:
            return self
        from dsa.data.pair_features.statistics import FeatureStatistics

        rows = corpus.labelled
        pairs = list_texts(corpus, rows)
        labels = [task.names[number] for number in corpus.labels[rows]]
        statistics = FeatureStatistics.learn(
            self.settings, pairs, labels, vectors, root=self.root
        )
        reader = dataclasses.replace(self, statistics=statistics)
        values = reader._compute(pairs, is_train=True)
        deviation = values.std(axis=0)
        deviation[deviation == 0] = 1
        return dataclasses.replace(
            reader, scale=np.stack([values.mean(axis=0), deviation])
        )

    def name_tokens(self, corpus):
        """Returns `{input name: tokens}` of the first row."""
        names = list(self.inputs)
        sentences = list_tokens(corpus, corpus.texts[0])
        if self.nonoverlap:
            from dsa.data.pair_features.pair import remove_overlap

            names += NONOVERLAP
            sentences += remove_overlap(*sentences)
        words = [*corpus.words, EMPTY]  # -1 marks an empty or hidden sentence
        tokens = [
            [words[token] for token in sentence] or [EMPTY] for sentence in sentences
        ]
        return dict(zip(names, tokens, strict=True))

    def read(self, corpus, vocabulary, rows=None, is_train=False):
        """Returns the model inputs of corpus rows as `ModelRows`.

        Args:
            corpus: the `PreparedCorpus`.
            vocabulary: the `Vocabulary` of the model.
            rows: positions in the corpus, `(N,)`; `None` for all rows.
            is_train: whether the rows are the training rows of `learn`.
        """
        rows = np.arange(len(corpus)) if rows is None else rows
        sentences, texts = vocabulary.sentences(corpus), corpus.texts[rows]
        inputs, features = self.inputs, None
        if self.nonoverlap:
            inputs = (*inputs, *NONOVERLAP)
            sentences, texts = _add_nonoverlap(corpus, rows, vocabulary, sentences)
        if self.settings:
            pairs = list_texts(corpus, rows)
            features = self._compute(
                pairs, is_train, use_cache=bool(corpus.fingerprint)
            )
            if self.standardize:
                mean, deviation = self.scale
                features = (features - mean) / deviation
            _check_finite(features, corpus.ids, rows)
            features = features.astype(np.float32)
        return ModelRows(sentences, texts, inputs, features)

    def _compute(self, pairs, is_train, use_cache=True):
        """Returns the features of pairs, `(N, F)`, cached on disk if `use_cache`."""
        from dsa.data.pair_features.compute import cached_features, compute_features

        compute = cached_features if use_cache else compute_features
        return compute(self.settings, self.statistics, pairs, is_train, root=self.root)


def list_texts(corpus, rows):
    """Returns the tokenized sentences of each row, a tuple of lists of words."""
    distinct = np.unique(corpus.texts[rows]).tolist()
    words = {}  # words of each distinct text
    for text, tokens in zip(distinct, list_tokens(corpus, distinct), strict=True):
        words[text] = [corpus.words[token] for token in tokens if token >= 0]
    return [tuple(words[text] for text in row) for row in corpus.texts[rows].tolist()]


def list_tokens(corpus, texts):
    """Returns the tokens of each text as indices into the words of the corpus."""
    ids, offsets = corpus.sentences.ids, corpus.sentences.offsets
    return [ids[offsets[text] : offsets[text + 1]].tolist() for text in texts]


def _add_nonoverlap(corpus, rows, vocabulary, sentences):
    """Appends the sentences without shared words.

    Returns: the extended `Sentences`, and the sentence indices of each row, `(N, 4)`.
    """
    from dsa.data.pair_features.pair import remove_overlap

    ids = [*vocabulary.ids(corpus.words).tolist(), UNKNOWN]
    empty_sentence = vocabulary.ids([EMPTY]).tolist()
    nonoverlap = []
    for pair in corpus.texts[rows].tolist():
        for remaining in remove_overlap(*list_tokens(corpus, pair)):
            nonoverlap.append([ids[token] for token in remaining] or empty_sentence)
    indices = len(sentences) + np.arange(2 * len(rows)).reshape(-1, 2)
    texts = np.concatenate([corpus.texts[rows], indices], axis=1)
    return sentences.join(Sentences.from_lists(nonoverlap)), texts.astype(np.int32)


def _check_finite(features, ids, rows):
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise InputError(
            f"feature {column + 1} of row {ids[rows[row]]} must be finite. Received: "
            f"{features[row, column]}"
        )

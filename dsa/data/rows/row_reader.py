"""From a prepared corpus to the rows that a model reads."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.data.words.vocabulary import UNKNOWN
from dsa.errors import InputError
from dsa.tasks.task import NONOVERLAP

EMPTY = "<empty>"  # the token of a sentence without any word, or a hidden one


@dataclasses.dataclass(frozen=True)
class RowReader:
    """Turns corpus rows into model inputs.

    What computes features is imported only for a run that has them; the last four
    fields matter only then. `standardize`: whether features are divided by their
    deviation in training, after their mean there was taken away.
    """

    inputs: tuple[str, ...]  # names of the task's sentences
    settings: Any = None  # `FeatureSettings` of the features of a pair
    nonoverlap: bool = False  # whether the model also reads pairs without common words
    standardize: bool = False
    statistics: Any = None  # `FeatureStatistics` of the training rows
    scale: Any = None  # mean and deviation of each feature in training, `(2, F)`
    root: Path | None = None  # the data root, where WordNet is looked for

    def learn(self, corpus, task, vectors):
        """The reader with the statistics of the training rows.

        Args:
            corpus: the `PreparedCorpus` of training; `task`: its task.
            vectors: a function of a word to its vector, or to `None`.
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
        """The tokens of the first row of a corpus, by the name of their input."""
        names, lists = list(self.inputs), list_tokens(corpus, corpus.texts[0])
        if self.nonoverlap:
            from dsa.data.pair_features.pair import remove_overlap

            names += NONOVERLAP
            lists += remove_overlap(*lists)
        words = [*corpus.words, EMPTY]  # -1: what stands for no word, or a hidden one
        tokens = [[words[token] for token in each] or [EMPTY] for each in lists]
        return dict(zip(names, tokens, strict=True))

    def read(self, corpus, vocabulary, rows=None, is_train=False):
        """Rows of a `PreparedCorpus` as `ModelRows`; all, if none are given.
        `is_train`: whether these are the rows of `learn`."""
        rows = np.arange(len(corpus)) if rows is None else rows
        sentences, texts = vocabulary.sentences(corpus), corpus.texts[rows]
        inputs, features = self.inputs, None
        if self.nonoverlap:
            inputs = (*inputs, *NONOVERLAP)
            sentences, texts = _add_nonoverlap(corpus, rows, vocabulary, sentences)
        if self.settings:
            pairs = list_texts(corpus, rows)
            features = self._compute(pairs, is_train, is_kept=bool(corpus.fingerprint))
            if self.standardize:
                mean, deviation = self.scale
                features = (features - mean) / deviation
            _check_finite(features, corpus.ids, rows)
            features = features.astype(np.float32)
        return ModelRows(sentences, texts, inputs, features)

    def _compute(self, pairs, is_train, is_kept=True):
        """The features of pairs; those of a file's rows are kept in the cache."""
        from dsa.data.pair_features.compute import cached_features, compute_features

        find = cached_features if is_kept else compute_features
        return find(self.settings, self.statistics, pairs, is_train, root=self.root)


def list_texts(corpus, rows):
    """The tokens of the sentences of rows: a tuple of lists of words for each row. A
    sentence without any token is an empty list."""
    texts = np.unique(corpus.texts[rows]).tolist()
    lists = {
        text: [corpus.words[token] for token in tokens if token >= 0]
        for text, tokens in zip(texts, list_tokens(corpus, texts), strict=True)
    }
    return [tuple(lists[text] for text in pair) for pair in corpus.texts[rows].tolist()]


def list_tokens(corpus, texts):
    """A list of tokens, positions in a corpus's words, for each of some texts."""
    ids, offsets = corpus.sentences.ids, corpus.sentences.offsets
    return [ids[offsets[text] : offsets[text + 1]].tolist() for text in texts]


def _add_nonoverlap(corpus, rows, vocabulary, sentences):
    """`Sentences` with those of the second copy after them, and texts `(N, 4)`."""
    from dsa.data.pair_features.pair import remove_overlap

    table = [*vocabulary.ids(corpus.words).tolist(), UNKNOWN]
    (empty,) = vocabulary.ids([EMPTY]).tolist()
    others = Sentences.from_lists(
        [table[token] for token in rest] or [empty]
        for pair in corpus.texts[rows].tolist()
        for rest in remove_overlap(*list_tokens(corpus, pair))
    )
    numbers = len(sentences) + np.arange(2 * len(rows)).reshape(-1, 2)
    texts = np.concatenate([corpus.texts[rows], numbers], axis=1)
    return sentences.join(others), texts.astype(np.int32)


def _check_finite(features, names, rows):
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise InputError(
            f"feature {column + 1} of row {names[rows[row]]} is no finite number: "
            f"{features[row, column]}"
        )

"""From a prepared corpus to the rows that a model reads."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.pair_features.compute import cached_features, compute_features
from dsa.data.pair_features.pair import remove_overlap
from dsa.data.pair_features.statistics import FeatureStatistics
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.data.words.vocabulary import UNKNOWN
from dsa.errors import InputError
from dsa.tasks.task import NONOVERLAP

EMPTY = "<empty>"  # the token of a sentence without any word, or a hidden one


@dataclasses.dataclass(frozen=True)
class RowReader:
    """Turns corpus rows into model inputs.

    Args:
        inputs: names of the task's sentences.
        settings: `FeatureSettings` of the features of a pair; `None` for none.
        nonoverlap: whether the model also reads the pair without common words.
        standardize: whether features are divided by their deviation in training, after
            their mean there was taken away.
        statistics: `FeatureStatistics` of the training rows; `None` without features.
        scale: mean and deviation of each feature in training, `(2, F)`; `None` too.
        root: the data root, where WordNet is looked for.
    """

    inputs: tuple[str, ...]
    settings: Any = None  # `FeatureSettings`
    nonoverlap: bool = False
    standardize: bool = False
    statistics: Any = None  # `FeatureStatistics`
    scale: Any = None  # an array
    root: Path | None = None

    @property
    def needs_training_rows(self):
        """Whether `learn` has something to learn."""
        return self.settings is not None

    def learn(self, corpus, task, vectors):
        """The reader with the statistics of the training rows.

        Args:
            corpus: the `PreparedCorpus` of training.
            task: its task, for the names of labels.
            vectors: a function of a word to its vector, or to `None`.
        """
        if not self.needs_training_rows:
            return self
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
        ids, offsets = corpus.sentences.ids, corpus.sentences.offsets
        pair = [ids[offsets[t] : offsets[t + 1]].tolist() for t in corpus.texts[0]]
        names, lists = list(self.inputs), pair
        if self.nonoverlap:
            names += NONOVERLAP
            lists = [*pair, *remove_overlap(*pair)]
        words = [*corpus.words, EMPTY]  # -1: what stands for no word, or a hidden one
        tokens = [[words[token] for token in each] or [EMPTY] for each in lists]
        return dict(zip(names, tokens, strict=True))

    def read(self, corpus, vocabulary, rows=None, is_train=False):
        """Rows of a corpus as `ModelRows`.

        Args:
            corpus: the `PreparedCorpus`.
            vocabulary: the `Vocabulary` of the model.
            rows: positions of rows; `None` for all.
            is_train: whether these are the rows of `learn`.
        """
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
            _check_finite(features)
            features = features.astype(np.float32)
        return ModelRows(sentences, texts, inputs, features)

    def _compute(self, pairs, is_train, is_kept=True):
        """The features of pairs; those of a file's rows are kept in the cache."""
        find = cached_features if is_kept else compute_features
        return find(self.settings, self.statistics, pairs, is_train, root=self.root)


def list_texts(corpus, rows):
    """The tokens of the sentences of rows: a tuple of lists of words for each row. A
    sentence without any token is an empty list."""
    ids, offsets = corpus.sentences.ids, corpus.sentences.offsets
    lists = {}
    for text in np.unique(corpus.texts[rows]).tolist():
        tokens = ids[offsets[text] : offsets[text + 1]].tolist()
        lists[text] = [corpus.words[token] for token in tokens if token >= 0]
    return [tuple(lists[text] for text in pair) for pair in corpus.texts[rows].tolist()]


def _add_nonoverlap(corpus, rows, vocabulary, sentences):
    """`Sentences` with those of the second copy after them, and texts `(N, 4)`."""
    ids, offsets = corpus.sentences.ids, corpus.sentences.offsets
    table = [*vocabulary.ids(corpus.words).tolist(), UNKNOWN]
    (empty,) = vocabulary.ids([EMPTY]).tolist()
    lists = []
    for pair in corpus.texts[rows].tolist():
        tokens = [ids[offsets[t] : offsets[t + 1]].tolist() for t in pair]
        for rest in remove_overlap(*tokens):
            lists.append([table[token] for token in rest] or [empty])
    others = Sentences.from_lists(lists)
    numbers = len(sentences) + np.arange(2 * len(rows)).reshape(-1, 2)
    joined = Sentences(
        np.concatenate([sentences.ids, others.ids]),
        np.concatenate([sentences.offsets, others.offsets[1:] + sentences.offsets[-1]]),
    )
    texts = np.concatenate([corpus.texts[rows], numbers], axis=1)
    return joined, texts.astype(np.int32)


def _check_finite(features):
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise InputError(
            f"feature {column} of row {row} is no finite number: "
            f"{features[row, column]}"
        )

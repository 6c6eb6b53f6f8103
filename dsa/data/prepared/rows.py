"""Rows of a corpus as a corpus of their own, and two corpora as one."""

import dataclasses

import numpy as np

from dsa.data.corpora.example import PHRASE
from dsa.data.prepared.corpus import most_frequent_first
from dsa.data.prepared.sentences import Sentences
from dsa.tasks.ranking_metrics import find_answered


def sample(prepared, share, seed):
    """A random share of a corpus's labelled rows, in file order.

    Args:
        prepared: the `PreparedCorpus`.
        share: in (0, 1], of the labelled rows; at least one row is drawn if there is
            one.
        seed: of the draw.

    Returns: a `PreparedCorpus` with the words and sentences of these rows alone, and
        the file's fingerprint.
    """
    labelled = prepared.labelled
    count = min(len(labelled), max(1, round(share * len(labelled))))
    random = np.random.default_rng(seed)
    rows = np.sort(random.choice(labelled, count, replace=False))
    return only_rows(prepared, rows)


def oversample(prepared, rows, times, neutral=None):
    """Rows with whole sentences, and phrases that are not neutral, several times.

    Args:
        prepared: the `PreparedCorpus`, read with phrases.
        rows: positions of rows.
        times: how often each of them comes.
        neutral: the label id of the phrases that come once; `None` for no such label.

    Returns: int array, the copies of a row next to each other.
    """
    phrase = np.array([prepared.groups[row] == PHRASE for row in rows])
    once = phrase & (neutral is not None) & (prepared.labels[rows] == neutral)
    return np.repeat(rows, np.where(once, 1, times))


def with_both_orders(prepared):
    """Every pair of a corpus, and after them every pair with its sentences exchanged
    (Yin et al. 2016, section 5.4)."""
    return dataclasses.replace(
        prepared,
        texts=np.concatenate([prepared.texts, prepared.texts[:, ::-1]]),
        labels=np.concatenate([prepared.labels, prepared.labels]),
        ids=[*prepared.ids, *prepared.ids],
        groups=[*prepared.groups, *prepared.groups],
    )


def only_answered(prepared, right):
    """The corpus of the questions with a right answer.

    Args:
        prepared: the `PreparedCorpus`, whose groups are questions.
        right: the number of the label of a right answer.

    Returns: a `PreparedCorpus`, as `only_rows`.
    """
    answered = find_answered(prepared.groups, prepared.labels == right)
    return only_rows(prepared, np.flatnonzero(answered))


def joined(first, second):
    """The rows of one corpus and after them those of another, as one corpus.

    Sentences that both have stay apart; words are shared. The fingerprint is the
    first's.
    """
    words = list(dict.fromkeys([*first.words, *second.words]))
    position = {word: number for number, word in enumerate(words)}
    table = [position[word] for word in second.words] + [-1]  # -1: the unknown token
    shift = len(first.sentences)
    ids = np.array(table, np.int32)[second.sentences.ids]
    offsets = second.sentences.offsets[1:] + first.sentences.offsets[-1]
    return most_frequent_first(
        dataclasses.replace(
            first,
            words=words,
            sentences=Sentences(
                np.concatenate([first.sentences.ids, ids]),
                np.concatenate([first.sentences.offsets, offsets]),
            ),
            texts=np.concatenate([first.texts, second.texts + shift]),
            labels=np.concatenate([first.labels, second.labels]),
            ids=[*first.ids, *second.ids],
            groups=[*first.groups, *second.groups],
            empty=first.empty + second.empty,
        )
    )


def only_rows(prepared, rows):
    """The corpus of some rows: their words, sentences and labels alone."""
    used, texts = np.unique(prepared.texts[rows], return_inverse=True)
    sentences = prepared.sentences.select(used)
    words, ids = np.unique(sentences.ids, return_inverse=True)
    if len(words) and words[0] == -1:  # the unknown token is no word
        words, ids = words[1:], ids - 1
    return most_frequent_first(
        dataclasses.replace(
            prepared,
            words=[prepared.words[word] for word in words],
            sentences=Sentences(ids.astype(np.int32), sentences.offsets),
            texts=texts.reshape(len(rows), -1).astype(np.int32),
            labels=prepared.labels[rows],
            ids=[prepared.ids[row] for row in rows],
            groups=[prepared.groups[row] for row in rows],
            empty=int((ids == -1).sum()),
        )
    )

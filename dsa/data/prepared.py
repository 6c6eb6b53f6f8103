"""A corpus file, read and tokenized once, kept in a cache.

Nothing here depends on vocabulary or vectors: words are local numbers, which a
vocabulary maps to its ids in one step.
"""

import dataclasses
import hashlib
import json
import logging
import os
from array import array
from pathlib import Path

import numpy as np
import pooch

from dsa.arrays import read_arrays, write_arrays
from dsa.data import corpora, example, files, tokenization, tokenizer
from dsa.data.sentences import Sentences
from dsa.data.texts import refuse_long
from dsa.data.tokenization import tokenize_all
from dsa.errors import InputError

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class PreparedCorpus:
    """A corpus as distinct sentences and pairs of them, N rows in file order.

    `words`: the distinct tokens, most frequent first; `sentences`: distinct sentences
    as positions in `words`; `premise`, `hypothesis`: `(N,)` positions in `sentences`;
    `labels`: `(N,)` positions in the task's labels, -1 for none; `ids`, `groups`: of
    each row; `fingerprint`: sha256 of the file; `empty`: sentences without any token,
    which are kept as one unknown token (position -1).
    """

    words: list
    sentences: Sentences
    premise: np.ndarray
    hypothesis: np.ndarray
    labels: np.ndarray
    ids: list
    groups: list
    fingerprint: str
    empty: int

    def __len__(self):
        return len(self.labels)

    @property
    def labelled(self):
        """Positions of the rows that have a label."""
        return np.flatnonzero(self.labels >= 0)

    def word_counts(self):
        """How often each of `words` occurs in the rows, `(len(words),)`."""
        used = np.bincount(self.premise, minlength=len(self.sentences))
        used += np.bincount(self.hypothesis, minlength=len(self.sentences))
        tokens = self.sentences.ids
        weights = np.repeat(used, self.sentences.lengths)
        return np.bincount(
            tokens[tokens >= 0], weights[tokens >= 0], minlength=len(self.words)
        ).astype(np.int64)


def prepare(path, reader, tokenize, labels, labelled=True):
    """Read and tokenize a corpus file, or take it from the cache.

    Args:
        path: the file.
        reader: name in `dsa.data.corpora.READERS`.
        tokenize: a `dsa.data.tokenizer.Tokenizer`.
        labels: the task's labels, in the order of their ids.
        labelled: whether a row without a label field is an error.

    Returns: a `PreparedCorpus`. The cache is keyed by content: the file's bytes,
        reader, tokenizer settings, labels, and the code that reads.

    Raises: `InputError` as the reader and the tokenizer.
    """
    digest = files.fingerprint(path)
    key = _cache_key(digest, reader, tokenize, labels, labelled)
    cached = cache_folder() / f"{key}.npz"
    prepared = _from_cache(cached, digest)
    if prepared is None:
        rows = corpora.READERS[reader](path, labels, labelled)
        prepared = _tokenized(rows, path, tokenize, labels, digest)
        _to_cache(cached, prepared)
    unlabelled = len(prepared) - len(prepared.labelled)
    log.info(
        "%s: %d rows, %d without label, %d distinct sentences, %d empty",
        Path(path).name,
        len(prepared),
        unlabelled,
        len(prepared.sentences),
        prepared.empty,
    )
    return prepared


def from_examples(examples, tokenize, labels, source):
    """A `PreparedCorpus` of examples that come from no file; `source` names them."""
    return _tokenized(examples, source, tokenize, labels, fingerprint="")


def _tokenized(examples, path, tokenize, labels, fingerprint):
    numbers = {label: number for number, label in enumerate(labels)}
    numbers[None] = -1
    distinct = {}  # (text, parse) -> position
    pairs, label_ids, ids, groups = array("i"), array("b"), [], []
    for row in examples:
        for key in tokenize.what_it_reads(row, path):
            pairs.append(distinct.setdefault(key, len(distinct)))
        label_ids.append(numbers[row.label])
        ids.append(row.name)
        groups.append(row.group)
    texts, parses = zip(*distinct, strict=True) if distinct else ((), ())
    del distinct
    words, sentences = tokenize_all(tokenize, texts, parses)
    _refuse_long(sentences, pairs, ids, path)
    empty = sentences.lengths == 0
    premise, hypothesis = np.array(pairs, np.int32).reshape(-1, 2).T
    prepared = PreparedCorpus(
        words=words,
        sentences=sentences.filled(empty, -1),
        premise=np.ascontiguousarray(premise),
        hypothesis=np.ascontiguousarray(hypothesis),
        labels=np.array(label_ids, np.int8),
        ids=ids,
        groups=groups,
        fingerprint=fingerprint,
        empty=int(empty.sum()),
    )
    return most_frequent_first(prepared)


def _refuse_long(sentences, pairs, ids, path):
    if len(sentences):
        longest = int(sentences.lengths.argmax())
        pair = ids[pairs.index(longest) // 2]
        tokens = int(sentences.lengths[longest])
        refuse_long(tokens, f"{path}: a sentence of pair {pair}")


def most_frequent_first(prepared):
    """The same corpus with its words in the order that `PreparedCorpus` promises."""
    order = np.argsort(-prepared.word_counts(), kind="stable")
    position = np.empty(len(order) + 1, np.int32)
    position[order] = np.arange(len(order))
    position[-1] = -1  # -1, the unknown token, stays
    return dataclasses.replace(
        prepared,
        words=[prepared.words[i] for i in order],
        sentences=Sentences(
            position[prepared.sentences.ids], prepared.sentences.offsets
        ),
    )


def cache_folder():
    """Where prepared corpora are kept: `DSA_CACHE`, else the user's cache folder."""
    return Path(os.environ.get("DSA_CACHE") or pooch.os_cache("dsa"))


def _cache_key(digest, reader, tokenize, labels, labelled):
    import nltk

    settings = [
        digest,
        reader,
        tokenize.name,
        tokenize.lowercase,
        list(labels),
        labelled,
        nltk.__version__,
    ]
    key = hashlib.sha256(json.dumps(settings).encode())
    package = Path(__file__).parent
    sources = [Path(module.__file__) for module in MODULES]
    for source in [Path(__file__), *sources, *sorted(package.glob("corpora/*.py"))]:
        key.update(source.read_bytes())
    return key.hexdigest()[:32]


MODULES = (files, tokenization, tokenizer, example)
ARRAYS = ("premise", "hypothesis", "labels")
LISTS = ("words", "ids", "groups", "empty")


def _to_cache(path, prepared):
    arrays = {name: getattr(prepared, name) for name in ARRAYS}
    arrays |= {"tokens": prepared.sentences.ids, "offsets": prepared.sentences.offsets}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, arrays, {name: getattr(prepared, name) for name in LISTS})
    except OSError as error:
        log.warning("prepared corpus not cached in %s: %s", path.parent, error)


def _from_cache(path, digest):
    try:
        arrays, record = read_arrays(path, "prepared corpus")
        return PreparedCorpus(
            sentences=Sentences(arrays["tokens"], arrays["offsets"]),
            fingerprint=digest,
            **{name: arrays[name] for name in ARRAYS},
            **{name: record[name] for name in LISTS},
        )
    except FileNotFoundError:
        return None
    except (InputError, KeyError) as error:
        log.warning("made anew: %s", error)
        return None

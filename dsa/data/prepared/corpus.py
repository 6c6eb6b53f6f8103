"""Tokenized corpus files, with a cache.

A prepared corpus is independent of a vocabulary and of word vectors. Its tokens are
indices into the list of its words. A vocabulary maps the words to ids.
"""

import dataclasses
import hashlib
import importlib.metadata
import inspect
import json
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.corpus import Corpus
from dsa.data.corpora.example import Example, check_length
from dsa.data.prepared.sentences import Sentences
from dsa.data.prepared.tokenizer import Tokenizer, tokenize_all
from dsa.system.arrays import read_cached, write_cached
from dsa.system.folders import get_cache_folder
from dsa.system.reading import fingerprint
from dsa.system.terminal import show_progress


@dataclasses.dataclass(frozen=True)
class PreparedCorpus:
    """A tokenized corpus: distinct sentences, and N rows in file order.

    An empty sentence is represented by one unknown token, -1.

    Args:
        words: distinct tokens, most frequent first.
        sentences: distinct sentences, as indices into `words`.
        sentence_indices: indices into `sentences`, int array `(N, T)`. T is 2 for
            pairs, and 1 for single sentences.
        labels: label id or score of each row, `(N,)`; -1 if unlabelled.
        ids: id of each row.
        groups: group of each row, or `None`.
        fingerprint: SHA-256 of the file; "" for examples in memory.
        empty: number of distinct sentences without tokens.
    """

    words: list
    sentences: Sentences
    sentence_indices: np.ndarray
    labels: np.ndarray
    ids: list
    groups: list
    fingerprint: str
    empty: int

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def labelled(self) -> np.ndarray:
        """Positions of the labelled rows."""
        return np.flatnonzero(self.labels >= 0)

    def word_counts(self) -> np.ndarray:
        """Returns the number of occurrences of each word in the rows, int64
        `(len(words),)`."""
        sentence_counts = np.bincount(
            self.sentence_indices.ravel(), minlength=len(self.sentences)
        )
        tokens = self.sentences.ids
        token_counts = np.repeat(sentence_counts, self.sentences.lengths)
        is_word = tokens >= 0
        return np.bincount(
            tokens[is_word], token_counts[is_word], minlength=len(self.words)
        ).astype(np.int64)

    def describe(self) -> str:
        """Returns a summary with the numbers of rows, unlabelled rows, distinct
        sentences and empty sentences."""
        unlabelled = len(self) - len(self.labelled)
        parts = [
            f"{len(self):,} rows",
            f"{unlabelled:,} without label" if unlabelled else "all labelled",
            f"{len(self.sentences):,} distinct sentences",
        ]
        if self.empty:
            parts.append(f"{self.empty:,} empty")
        return ", ".join(parts)


def prepare(path: Path | str, corpus: Corpus, tokenize: Tokenizer) -> PreparedCorpus:
    """Returns a tokenized corpus file, from the cache if possible.

    The cache key consists of the SHA-256 of the file, the reader, the settings of the
    tokenizer, the task, and the code of readers and tokenizers.

    Args:
        path: the file.
        corpus: the `Corpus`.
        tokenize: the `Tokenizer`.

    Raises: `InputError` if the reader or the tokenizer rejects the file, or an official
        file has a wrong number of rows (`Corpus.check_row_count`).
    """
    digest = fingerprint(path)
    key = _make_cache_key(digest, corpus, tokenize)
    cache_file = get_cache_folder() / f"{key}.npz"
    prepared = _read_cache(cache_file, digest) if key else None
    if prepared is None:
        examples = corpus.read_examples(path)
        prepared = from_examples(examples, tokenize, corpus.task, path, digest)
        if key:
            _write_cache(cache_file, prepared)
    corpus.check_row_count(path, len(prepared))
    return prepared


def from_examples(
    examples: Iterable[Example],
    tokenize: Any,
    task: Any,
    source: Path | str,
    fingerprint: str = "",
) -> PreparedCorpus:
    """Returns a `PreparedCorpus` of examples.

    Args:
        examples: the `Example`s.
        tokenize: a `Tokenizer`.
        task: the task of the labels.
        source: path or description of the examples, for messages.
        fingerprint: SHA-256 of the file; "" for examples in memory.

    Raises: `InputError` if the tokenizer rejects an example, or a sentence has too many
        tokens (`check_length`).
    """
    positions = {}  # (text, parse) -> sentence index
    flat_indices = array("i")  # sentence indices of all rows
    labels = array("f")
    ids, groups = [], []
    for example in show_progress(examples, f"reading {Path(source).name}"):
        for key in tokenize.pair_with_parses(example, source):
            flat_indices.append(positions.setdefault(key, len(positions)))
        labels.append(-1 if example.label is None else task.number(example.label))
        ids.append(example.name)
        groups.append(example.group)
    distinct_texts = [text for text, _ in positions]
    parses = [parse for _, parse in positions]
    del positions  # frees the memory
    words, sentences = tokenize_all(tokenize, distinct_texts, parses)
    columns = len(flat_indices) // len(ids) if ids else len(task.inputs)
    sentence_indices = np.array(flat_indices, np.int32).reshape(-1, columns)
    _check_longest_sentence(sentences, sentence_indices, ids, source)
    prepared = PreparedCorpus(
        words=words,
        sentences=sentences.fill_empty(-1),
        sentence_indices=sentence_indices,
        labels=np.array(labels, task.number_type),
        ids=ids,
        groups=groups,
        fingerprint=fingerprint,
        empty=int((sentences.lengths == 0).sum()),
    )
    return sort_words_by_frequency(prepared)


def _check_longest_sentence(sentences, sentence_indices, ids, source):
    """Raises `InputError` if the longest sentence has too many tokens."""
    if not len(sentences):
        return
    longest = int(sentences.lengths.argmax())
    row_id = ids[(sentence_indices == longest).any(axis=1).argmax()]
    location = f"{source}: a sentence of row {row_id}"
    check_length(int(sentences.lengths[longest]), location)


def sort_words_by_frequency(prepared: PreparedCorpus) -> PreparedCorpus:
    """Returns the corpus with its words sorted by frequency."""
    order = np.argsort(-prepared.word_counts(), kind="stable")
    new_index = np.empty(len(order) + 1, np.int32)
    new_index[order] = np.arange(len(order))
    new_index[-1] = -1  # the unknown token, -1, remains -1
    sentences = prepared.sentences
    return dataclasses.replace(
        prepared,
        words=[prepared.words[i] for i in order],
        sentences=Sentences(new_index[sentences.ids], sentences.offsets),
    )


def _make_cache_key(digest, corpus, tokenize):
    """Returns the cache key of a prepared corpus, or `None` if it cannot be cached.

    The key includes the source files of `corpora`, `prepared`, the reader and the task.
    The reader and the task may be defined by a user. If they have no source file, as in
    an interactive session, changes cannot be detected, and the corpus is not cached.
    """
    reader = corpus.reader
    task = corpus.task
    settings = [
        digest,
        getattr(reader, "__name__", None),  # `None` only for code without a source file
        corpus.settings,
        tokenize.settings,
        dataclasses.asdict(task),
        importlib.metadata.version("nltk"),
    ]
    key = hashlib.sha256(json.dumps(settings).encode())
    data = Path(__file__).parent.parent
    sources = [*sorted(data.glob("corpora/*.py")), *sorted(data.glob("prepared/*.py"))]
    try:
        sources += [inspect.getsourcefile(reader), inspect.getsourcefile(type(task))]
        for source in sources:
            key.update(Path(source).read_bytes())  # pyright: ignore[reportArgumentType]
    except (OSError, TypeError):
        return None
    return key.hexdigest()[:32]


def _write_cache(path, prepared):
    arrays = {
        "texts": prepared.sentence_indices,
        "labels": prepared.labels,
        "tokens": prepared.sentences.ids,
        "offsets": prepared.sentences.offsets,
    }
    record = {
        "words": prepared.words,
        "ids": prepared.ids,
        "groups": prepared.groups,
        "empty": prepared.empty,
    }
    write_cached(path, "prepared corpus", arrays, record)


def _read_cache(path, digest):
    """Returns the cached corpus, or `None`."""
    cached = read_cached(path, "prepared corpus")
    if cached is None:
        return None
    arrays, record = cached
    return PreparedCorpus(
        words=record["words"],
        sentences=Sentences(arrays["tokens"], arrays["offsets"]),
        sentence_indices=arrays["texts"],
        labels=arrays["labels"],
        ids=record["ids"],
        groups=record["groups"],
        fingerprint=digest,
        empty=record["empty"],
    )

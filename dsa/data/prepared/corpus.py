"""Tokenized corpus files, with a cache.

A prepared corpus is independent of vocabulary and vectors. Words are numbered locally
and mapped to ids by a vocabulary.
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
from dsa.system.arrays import keep_cached, read_cached
from dsa.system.folders import cache_folder
from dsa.system.reading import fingerprint
from dsa.system.terminal import show_progress


@dataclasses.dataclass(frozen=True)
class PreparedCorpus:
    """A tokenized corpus: distinct sentences, and N rows in file order.

    An empty sentence is represented by one unknown token, -1.
    """

    words: list  # distinct tokens, most frequent first
    sentences: Sentences  # distinct sentences, as positions in `words`
    texts: np.ndarray  # `(N, T)` positions in `sentences`; T = 2 for pairs, else 1
    labels: np.ndarray  # `(N,)` label ids or scores; -1 if unlabelled
    ids: list
    groups: list
    fingerprint: str  # SHA-256 of the file
    empty: int  # number of sentences without tokens

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def labelled(self) -> np.ndarray:
        """Positions of the labelled rows."""
        return np.flatnonzero(self.labels >= 0)

    def word_counts(self) -> np.ndarray:
        """Returns the number of occurrences of each word in the rows,
        `(len(words),)`."""
        used = np.bincount(self.texts.ravel(), minlength=len(self.sentences))
        tokens = self.sentences.ids
        weights = np.repeat(used, self.sentences.lengths)
        return np.bincount(
            tokens[tokens >= 0], weights[tokens >= 0], minlength=len(self.words)
        ).astype(np.int64)

    def describe(self) -> str:
        """Returns a summary: number of rows, unlabelled rows and sentences."""
        unlabelled = len(self) - len(self.labelled)
        parts = [
            f"{len(self):,} rows",
            f"{unlabelled:,} without label" if unlabelled else "all labelled",
            f"{len(self.sentences):,} distinct sentences",
            *([f"{self.empty:,} empty"] if self.empty else []),
        ]
        return ", ".join(parts)


def prepare(path: Path | str, corpus: Corpus, tokenize: Tokenizer) -> PreparedCorpus:
    """Returns a tokenized corpus file, from the cache if possible.

    The cache key consists of the file's SHA-256, reader, tokenizer settings, task and
    the code of readers and tokenizers.

    Raises: `InputError` as the reader and the tokenizer.
    """
    digest = fingerprint(path)
    key = _make_cache_key(digest, corpus, tokenize)
    cached = cache_folder() / f"{key}.npz"
    prepared = _from_cache(cached, digest) if key else None
    if prepared is None:
        examples = corpus.read_examples(path)
        prepared = from_examples(examples, tokenize, corpus.task, path, digest)
        if key:
            _to_cache(cached, prepared)
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
        tokenize: a `Tokenizer`.
        task: the task of the labels.
        source: path or description of the examples for error messages.
        fingerprint: fingerprint of the file; "" for examples in memory.

    Raises: `InputError` as the tokenizer, and for a sentence with too many tokens.
    """
    distinct = {}  # (text, parse) -> position
    texts, labels, ids, groups = array("i"), array("f"), [], []
    for row in show_progress(examples, f"reading {Path(source).name}"):
        for key in tokenize.pair_with_parses(row, source):
            texts.append(distinct.setdefault(key, len(distinct)))
        labels.append(-1 if row.label is None else task.number(row.label))
        ids.append(row.name)
        groups.append(row.group)
    written, parses = zip(*distinct, strict=True) if distinct else ((), ())
    del distinct
    words, sentences = tokenize_all(tokenize, written, parses)
    columns = len(texts) // len(ids) if ids else len(task.inputs)
    texts = np.array(texts, np.int32).reshape(-1, columns)
    if len(sentences):
        longest = int(sentences.lengths.argmax())
        row = ids[(texts == longest).any(axis=1).argmax()]
        check_length(
            int(sentences.lengths[longest]), f"{source}: a sentence of row {row}"
        )
    prepared = PreparedCorpus(
        words=words,
        sentences=sentences.fill_empty(-1),
        texts=texts,
        labels=np.array(labels, task.number_type),
        ids=ids,
        groups=groups,
        fingerprint=fingerprint,
        empty=int((sentences.lengths == 0).sum()),
    )
    return most_frequent_first(prepared)


def most_frequent_first(prepared: PreparedCorpus) -> PreparedCorpus:
    """Returns the corpus with its words sorted by frequency."""
    order = np.argsort(-prepared.word_counts(), kind="stable")
    position = np.empty(len(order) + 1, np.int32)
    position[order] = np.arange(len(order))
    position[-1] = -1  # maps the unknown token to itself
    sentences = prepared.sentences
    return dataclasses.replace(
        prepared,
        words=[prepared.words[i] for i in order],
        sentences=Sentences(position[sentences.ids], sentences.offsets),
    )


def _make_cache_key(digest, corpus, tokenize):
    """Returns the cache key of a prepared corpus, or `None` if it cannot be cached.

    The key includes the source files of `corpora`, `prepared`, the reader and the task,
    which may be defined by a user. Readers and tasks without a source file, such as
    those of an interactive session, are not cached, since changes are undetectable.
    """
    read, task = corpus.reader, corpus.task
    settings = [
        digest,
        getattr(read, "__name__", None),  # `None` only without a source file
        corpus.settings,
        tokenize.settings,
        dataclasses.asdict(task),
        importlib.metadata.version("nltk"),
    ]
    key = hashlib.sha256(json.dumps(settings).encode())
    data = Path(__file__).parent.parent
    sources = [*sorted(data.glob("corpora/*.py")), *sorted(data.glob("prepared/*.py"))]
    try:
        sources += [inspect.getsourcefile(read), inspect.getsourcefile(type(task))]
        for source in sources:
            key.update(Path(source).read_bytes())  # pyright: ignore[reportArgumentType]
    except (OSError, TypeError):
        return None
    return key.hexdigest()[:32]


ARRAYS = ("texts", "labels")
LISTS = ("words", "ids", "groups", "empty")


def _to_cache(path, prepared):
    arrays = {name: getattr(prepared, name) for name in ARRAYS}
    arrays |= {"tokens": prepared.sentences.ids, "offsets": prepared.sentences.offsets}
    lists = {name: getattr(prepared, name) for name in LISTS}
    keep_cached(path, "prepared corpus", arrays, lists)


def _from_cache(path, digest):
    cached = read_cached(path, "prepared corpus")
    if cached is None:
        return None
    arrays, lists = cached
    sentences = Sentences(arrays.pop("tokens"), arrays.pop("offsets"))
    return PreparedCorpus(sentences=sentences, fingerprint=digest, **arrays, **lists)

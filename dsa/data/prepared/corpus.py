"""A corpus file, read and tokenized once, kept in a cache.

Nothing here depends on vocabulary or vectors: words are local numbers, which a
vocabulary maps to its ids in one step.
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
    """A corpus as distinct sentences and rows of them, N rows in file order.

    A sentence without any token is kept as one unknown token, position -1.
    """

    words: list  # the distinct tokens, most frequent first
    sentences: Sentences  # the distinct ones, as positions in `words`
    texts: np.ndarray  # `(N, T)` positions in `sentences`; T = 2 for pairs, else 1
    labels: np.ndarray  # `(N,)` positions in the task's labels, or scores; -1 for none
    ids: list
    groups: list
    fingerprint: str  # sha256 of the file
    empty: int  # sentences without any token

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def labelled(self) -> np.ndarray:
        """Positions of the rows that have a label."""
        return np.flatnonzero(self.labels >= 0)

    def word_counts(self) -> np.ndarray:
        """How often each of `words` occurs in the rows, `(len(words),)`."""
        used = np.bincount(self.texts.ravel(), minlength=len(self.sentences))
        tokens = self.sentences.ids
        weights = np.repeat(used, self.sentences.lengths)
        return np.bincount(
            tokens[tokens >= 0], weights[tokens >= 0], minlength=len(self.words)
        ).astype(np.int64)

    def describe(self) -> str:
        """Returns what it has in words: rows, those without label, sentences."""
        unlabelled = len(self) - len(self.labelled)
        parts = [
            f"{len(self):,} rows",
            f"{unlabelled:,} without label" if unlabelled else "all labelled",
            f"{len(self.sentences):,} distinct sentences",
            *([f"{self.empty:,} empty"] if self.empty else []),
        ]
        return ", ".join(parts)


def prepare(path: Path | str, corpus: Corpus, tokenize: Tokenizer) -> PreparedCorpus:
    """Returns a file of a corpus, read and tokenized, or taken from the cache. This is
    keyed by content: the file's bytes, reader, tokenizer settings, task, and the code
    that reads.

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
    """Returns examples as a `PreparedCorpus`.

    Args:
        tokenize: a `Tokenizer`.
        task: whose labels the examples have.
        source: what names them in errors, such as the path of their file.
        fingerprint: of that file; "" for examples from none.

    Raises: `InputError` as the tokenizer, and for a sentence that is too long.
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
    """Returns the same corpus with its words in the order of `PreparedCorpus`."""
    order = np.argsort(-prepared.word_counts(), kind="stable")
    position = np.empty(len(order) + 1, np.int32)
    position[order] = np.arange(len(order))
    position[-1] = -1  # -1, the unknown token, stays
    sentences = prepared.sentences
    return dataclasses.replace(
        prepared,
        words=[prepared.words[i] for i in order],
        sentences=Sentences(position[sentences.ids], sentences.offsets),
    )


def _make_cache_key(digest, corpus, tokenize):
    """A name for the prepared corpus: what decides its content, as a hash.

    The code that reads is in it: that of `corpora` and `prepared`, and the files that
    define the reader and the task, which can come from outside. `None` if these have no
    file, as in an interactive session: then nobody could tell whether they changed.
    """
    read, task = corpus.reader, corpus.task
    settings = [
        digest,
        getattr(read, "__name__", None),  # else it has no file either
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

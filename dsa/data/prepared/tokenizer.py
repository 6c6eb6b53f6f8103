"""Tokenizes texts and binary parses."""

import dataclasses
import functools
import importlib.util
import itertools
import logging
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.example import BRACKETS, Example
from dsa.data.prepared.sentences import Sentences
from dsa.errors import InputError
from dsa.system.terminal import show_progress
from dsa.system.worker_processes import run_in_processes

SENTENCES_PER_CHUNK = 10_000
SPLITTERS = re.compile("([-\u2212\u2014\u2013/~\"'\u201c\u2019\u201d\u2018\u00b0])")
log = logging.getLogger(__name__)


@functools.cache
def load_tokenizers() -> tuple[Any, Any]:
    """Returns the sentence tokenizer and the word tokenizer of NLTK.

    The sentence tokenizer is an untrained Punkt model, which requires no download. The
    word tokenizer is the Treebank tokenizer.

    `import nltk` takes a second, because it also imports SciPy and scikit-learn. This
    function therefore imports the two modules into empty packages `nltk` and
    `nltk.tokenize`. It then removes the packages from `sys.modules`, so that a later
    `import nltk` imports the complete package.
    """
    is_new = "nltk" not in sys.modules
    if is_new:
        for package in ("nltk", "nltk.tokenize"):
            spec: Any = importlib.util.find_spec(package)
            sys.modules[package] = importlib.util.module_from_spec(spec)
    try:
        from nltk.tokenize.punkt import PunktSentenceTokenizer
        from nltk.tokenize.treebank import TreebankWordTokenizer
    finally:
        if is_new:
            for name in [*sys.modules]:
                if name.partition(".")[0] == "nltk":
                    del sys.modules[name]
    return PunktSentenceTokenizer(), TreebankWordTokenizer()


def split_treebank(text: str) -> list[str]:
    """Splits a text into sentences and Penn Treebank tokens, see `load_tokenizers`."""
    sentence_tokenizer, word_tokenizer = load_tokenizers()
    tokens = []
    for sentence in sentence_tokenizer.tokenize(text):
        tokens += word_tokenizer.tokenize(sentence)
    return tokens


def split_parse(parse: str, keep_brackets: bool = False) -> list[str]:
    """Returns the leaves of a binary parse.

    Args:
        parse: a parse such as `( ( Two women ) ... )`.
        keep_brackets: whether to keep escaped brackets such as `-LRB-`. By default,
            they are unescaped.
    """
    leaves = [token for token in parse.split() if token not in ("(", ")")]
    if keep_brackets:
        return leaves
    return [BRACKETS.get(leaf, leaf) for leaf in leaves]


def split_further(tokens: Sequence[str]) -> list[str]:
    """Splits tokens at dashes, slashes, tildes, quotes and degree signs.

    Each separator becomes a token. A separator at the start or end of a token yields an
    additional empty token.

    Reference: the released code of Shen et al. 2018, `further_tokenize`.

    Example:
        >>> split_further(["T-shirt", "'s"])
        ['T', '-', 'shirt', '', "'", 's']
    """
    return [part for token in tokens for part in SPLITTERS.split(token)]


@dataclasses.dataclass(eq=False)
class Tokenizer:
    """Converts a text, or its binary parse, to tokens.

    Args:
        name: "treebank" for `split_treebank`, "whitespace", or "binary_parse" for
            the leaves of the parses in the corpus. For text without a parse,
            "binary_parse" falls back to "treebank" and logs one warning.
        lowercase: whether to lower-case tokens.
        max_tokens: maximum number of tokens of a sentence, including the boundaries;
            `None` for no limit.
        boundaries: tokens to add before and after each sentence; `None` for no token.
        keep_brackets: see `split_parse`.
        extra_split: whether to apply `split_further`.
    """

    name: str = "treebank"
    lowercase: bool = True
    max_tokens: int | None = None
    boundaries: Sequence[str | None] | None = None
    keep_brackets: bool = False
    extra_split: bool = False
    _warned = False  # whether the warning has been logged

    @property
    def settings(self) -> tuple:
        """Values of all arguments."""
        return dataclasses.astuple(self)

    def __call__(self, text: str, parse: str | None = None) -> list[str]:
        if self.name == "whitespace":
            tokens = text.split()
        elif self.name == "binary_parse" and parse is not None:
            tokens = split_parse(parse, self.keep_brackets)
        else:
            self._warn_about_raw_text()
            tokens = split_treebank(text)
        if self.extra_split:
            tokens = split_further(tokens)
        if self.lowercase:
            tokens = [token.lower() for token in tokens]
        return self.add_boundaries(tokens)

    def add_boundaries(self, tokens: list[str]) -> list[str]:
        """Adds the boundaries, and truncates the sentence to `max_tokens` tokens in
        total."""
        if self.boundaries is None:
            return tokens[: self.max_tokens]
        first, last = self.boundaries
        before = [first] if first else []
        after = [last] if last else []
        limit = self.max_tokens
        if limit is not None:
            limit -= len(before) + len(after)
        return [*before, *tokens[:limit], *after]

    def _warn_about_raw_text(self):
        """Logs a warning if the tokenizer requires parses. Later calls do nothing."""
        if self.name == "binary_parse" and not self._warned:
            log.warning(
                "raw text has no parse and is tokenized by 'treebank', whose tokens "
                "can differ from the parses in the training data"
            )
            self._warned = True

    def pair_with_parses(
        self, example: Example, path: Path | str
    ) -> Iterator[tuple[str, str | None]]:
        """Returns an iterator over the texts of a row, each with its parse.

        The parse is `None` if the tokenizer does not use parses.

        Args:
            example: a row of a corpus.
            path: path of the corpus, for error messages.

        Raises: `InputError` if the tokenizer uses parses and the row has no parses.
        """
        if self.name != "binary_parse":
            parses = (None,) * len(example.texts)
        elif example.parses is None:
            raise InputError(
                f"{path}, row {example.row}: 'tokenizer.name: binary_parse' requires "
                "binary parses. Use 'tokenizer.name: treebank' for this corpus"
            )
        else:
            parses = example.parses
        return zip(example.texts, parses, strict=True)


def tokenize_all(
    tokenize: Tokenizer,
    texts: Sequence[str],
    parses: Sequence[str | None] | None = None,
) -> tuple[list[str], Sentences]:
    """Tokenizes texts, in parallel if there are more than 10,000 texts.

    Args:
        tokenize: the `Tokenizer`.
        texts: the texts.
        parses: parse of each text, or `None` for a text without a parse; by default,
            no text has a parse.

    Returns: the distinct words in order of first occurrence, and the `Sentences` as
        indices into these words.
    """
    if parses is None:
        parses = [None] * len(texts)
    chunks = []
    for start in range(0, len(texts), SENTENCES_PER_CHUNK):
        end = start + SENTENCES_PER_CHUNK
        chunks.append((tokenize, texts[start:end], parses[start:end]))
    results: Any
    if len(chunks) < 2:
        results = itertools.starmap(_tokenize_chunk, chunks)
    else:
        results = run_in_processes(_tokenize_chunk, chunks)
    results = show_progress(results, "tokenizing", len(chunks))
    index: dict[str, int] = {}
    ids, lengths = [], []
    for chunk_words, chunk_ids, chunk_lengths in results:
        word_ids = [index.setdefault(word, len(index)) for word in chunk_words]
        ids.append(np.array(word_ids, np.int32)[chunk_ids])
        lengths.append(chunk_lengths)
    offsets = np.cumsum(np.concatenate([[0], *lengths]), dtype=np.int64)
    all_ids = np.concatenate([np.empty(0, np.int32), *ids])
    return list(index), Sentences(all_ids, offsets)


def _tokenize_chunk(tokenize, texts, parses):
    """Tokenizes a chunk of texts.

    Returns: the distinct words, the tokens as indices into these words, and the number
        of tokens of each text.
    """
    index: dict[str, int] = {}
    ids, lengths = [], []
    for tokens in map(tokenize, texts, parses):
        ids += [index.setdefault(token, len(index)) for token in tokens]
        lengths.append(len(tokens))
    return list(index), np.array(ids, np.int32), np.array(lengths, np.int64)

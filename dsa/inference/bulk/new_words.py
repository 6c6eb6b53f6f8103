"""Vectors of the words that a run lacks, looked up once for all rows of an input.

In the memory there are only words that the vector file has, however many words the rows
have.
"""

import itertools
from pathlib import Path

import numpy as np

from dsa.data.prepared.tokenizer import Tokenizer, tokenize_all
from dsa.data.words.embeddings import find_vectors, list_case_forms
from dsa.data.words.vector_files import read_first_words
from dsa.system.arrays import read_arrays, write_arrays
from dsa.system.reading import fingerprint

FILE = "words.npz"
ROWS_AT_ONCE = 20_000
ALL = 2**40  # words of a file


class FoundWords:
    """Words with their vectors; asked for others, it has none.

    Args:
        vectors: `{word: float32 (units,)}`.
    """

    def __init__(self, vectors):
        self._vectors = vectors
        self.words = list(vectors)

    def find(self, words):
        """`{word: vector}` of those of some words that it has."""
        return {word: self._vectors[word] for word in words if word in self._vectors}

    def write(self, folder):
        """Write them into a folder."""
        vectors = list(self._vectors.values())
        arrays = {"vectors": np.stack(vectors)} if vectors else {}
        write_arrays(Path(folder, FILE), arrays, self.words)

    @classmethod
    def read(cls, folder):
        """Those that `write` wrote into a folder; none without a file."""
        try:
            arrays, words = read_arrays(Path(folder, FILE), "vectors of words")
        except FileNotFoundError:
            return cls({})
        return cls(dict(zip(words, arrays.get("vectors", ()), strict=True)))


class WordSearch:
    """Gathers, from rows that pass, the words that a run lacks and a file has.

    Args:
        run: the `RunFolder`.
        experiment: its `Experiment`.
        path: the vector file.
    """

    def __init__(self, run, experiment, path):
        self._known = run.vocabulary()
        self._tokenize = Tokenizer(**experiment.tokenizer.model_dump())
        config = experiment.embedding
        self._file, self._units = path, config.units
        self._exact = config.lookup == "exact"
        self._in_file = set(read_first_words(path, config.units, ALL))
        self._words = {}

    @property
    def fingerprint(self):
        """SHA-256 of the vector file."""
        return fingerprint(self._file)

    def watch(self, examples):
        """Yield the same examples, and gather their words."""
        examples = iter(examples)
        while chunk := list(itertools.islice(examples, ROWS_AT_ONCE)):
            keys = {key for example in chunk for key in self._list_keys(example)}
            texts, parses = zip(*sorted(keys, key=repr), strict=True)
            words, _ = tokenize_all(self._tokenize, texts, parses)
            self._words.update(dict.fromkeys(filter(self._is_new, words)))
            yield from chunk

    def find(self):
        """The `FoundWords`."""
        words = sorted(self._words)
        if not words:
            return FoundWords({})
        vectors, _ = find_vectors(words, self._file, self._units, exact=self._exact)
        return FoundWords({word: vectors[word] for word in words if word in vectors})

    def _list_keys(self, example):
        """The texts, and with their parses: one row without parses, and those of all
        others are not read."""
        without = (None,) * len(example.texts)
        for parses in (without, example.parses or without):
            yield from zip(example.texts, parses, strict=True)

    def _is_new(self, word):
        if word in self._known:
            return False
        return any(form in self._in_file for form in list_case_forms(word, self._exact))

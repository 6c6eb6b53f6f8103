"""Words that a run lacks: their vectors are looked up once for all rows of an input.

Only words that the vector file has are held in memory, however many words the rows
have.
"""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from dsa.data.corpora.example import Example
from dsa.data.prepared.tokenizer import Tokenizer, tokenize_all
from dsa.data.words.embeddings import list_case_variants, look_up_vectors
from dsa.data.words.vector_files import read_first_words
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.arrays import read_arrays, write_arrays

FILE = "words.npz"
ROWS_AT_ONCE = 20_000
ALL = 2**40  # words of a file


class WordVectors(dict[str, np.ndarray]):
    """`{word: float32 (units,)}`, a lookup that knows these words and no others."""

    def find(self, words: Iterable[str]) -> dict[str, np.ndarray]:
        """Returns the vectors of those of some words that it has."""
        return {word: self[word] for word in words if word in self}

    def write(self, folder: Path) -> None:
        """Writes them into a folder."""
        arrays = {"vectors": np.stack(list(self.values()))} if self else {}
        write_arrays(folder / FILE, arrays, list(self))

    @classmethod
    def read(cls, folder: Path) -> "WordVectors":
        """Returns those that `write` wrote into a folder; none without a file."""
        try:
            arrays, words = read_arrays(folder / FILE, "vectors of words")
        except FileNotFoundError:
            return cls()
        return cls(zip(words, arrays.get("vectors", ()), strict=True))


class WordSearch:
    """Gathers the words of rows that a run lacks and a vector file has."""

    def __init__(self, run: RunFolder, experiment: Experiment, path: Path) -> None:
        self._known = run.vocabulary()
        self._tokenize = Tokenizer(**experiment.tokenizer.model_dump())
        config = experiment.embedding
        self._file, self._units = path, config.units
        self._exact = config.lookup == "exact"
        self._in_file = set(read_first_words(path, config.units, ALL))
        self.words: set[str] = set()

    def watch(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Yields the same examples, and gathers their words."""
        examples = iter(examples)
        while chunk := list(itertools.islice(examples, ROWS_AT_ONCE)):
            keys = {key for example in chunk for key in _list_keys(example)}
            texts, parses = zip(*sorted(keys, key=repr), strict=True)
            words, _ = tokenize_all(self._tokenize, texts, parses)
            self.words.update(filter(self._is_new, words))
            yield from chunk

    def find(self) -> WordVectors:
        """Returns the vectors of the words."""
        if not (words := sorted(self.words)):
            return WordVectors()
        vectors, _ = look_up_vectors(words, self._file, self._units, exact=self._exact)
        return WordVectors((word, vectors[word]) for word in words if word in vectors)

    def _is_new(self, word):
        return word not in self._known and any(
            form in self._in_file for form in list_case_variants(word, self._exact)
        )


def _list_keys(example):
    """Yields the texts without and with their parses: if one row has no parses, those
    of all others are not read."""
    yield from ((text, None) for text in example.texts)
    yield from zip(example.texts, example.parses or (), strict=False)

"""Reader of a word vector file."""

import dataclasses
import itertools
from collections.abc import Collection
from pathlib import Path

import numpy as np

from dsa.data.words.vector_files import (
    check_vector_size,
    read_first_words,
    read_vectors,
)


@dataclasses.dataclass(frozen=True)
class VectorReader:
    """Reader of a word vector file, by default with case-insensitive lookup.

    Args:
        path: path of the file, see `read_vectors`.
        units: dimension of the vectors.
        exact: whether the lookup is case-sensitive.
    """

    path: Path
    units: int
    exact: bool = False

    def check_size(self) -> None:
        """Raises `InputError` if the first vector does not have `units` numbers."""
        check_vector_size(self.path, self.units)

    def look_up(
        self, words: Collection[str], num_first: int = 0
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Returns the vectors of the given words and of the first words of the file.

        Args:
            words: words to look up. A word has the vector of its first variant in
                `list_case_variants` that is in the file.
            num_first: number of lines to read from the beginning of the file.

        Returns: a tuple of two dictionaries `{word: float32 array (units,)}`: the
            vectors of the given words that are in the file, and the vectors of the
            first `num_first` lines, in file order.
        """
        variants = {word: list_case_variants(word, self.exact) for word in words}
        all_variants = set(itertools.chain.from_iterable(variants.values()))
        vectors = read_vectors(self.path, self.units, all_variants, num_first)
        known = {}
        for word in words:
            for variant in variants[word]:
                if variant in vectors:
                    known[word] = vectors[variant]
                    break
        if num_first == 0:
            return known, {}
        first_words = self.read_first_words(num_first)
        return known, {word: vectors[word] for word in vectors if word in first_words}

    def read_first_words(self, count: int) -> set[str]:
        """Returns the set of words on the first `count` lines of the file."""
        return read_first_words(self.path, self.units, count)


def list_case_variants(word: str, exact: bool = False) -> list[str]:
    """Returns the distinct case variants of a word in lookup order.

    The order is: unchanged, lower-cased, capitalized. With `exact`, the list contains
    only the unchanged word.
    """
    if exact:
        return [word]
    return list(dict.fromkeys([word, word.lower(), word.capitalize()]))

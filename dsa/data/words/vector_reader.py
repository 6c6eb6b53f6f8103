"""Looks up words in a vector file."""

import dataclasses
import itertools
from pathlib import Path

from dsa.data.words.vector_files import (
    check_vector_size,
    read_first_words,
    read_vectors,
)


@dataclasses.dataclass(frozen=True)
class VectorReader:
    """Looks up words in a vector file.

    Args:
        path: the file, see `read_vectors`.
        units: size of a vector.
        exact: whether to look up words without changing their case.
    """

    path: Path
    units: int
    exact: bool = False

    def check_size(self):
        """Checks the size of the first vector, see `check_vector_size`."""
        check_vector_size(self.path, self.units)

    def look_up(self, words, frequent=0):
        """Returns the vectors of the given words and of the first words of the file.

        Args:
            words: words to look up, with their case variants unless `exact`.
            frequent: number of words to read from the beginning of the file.

        Returns: two dictionaries `{word: array (units,)}`: the given words that are in
            the file, and the first `frequent` words of the file.
        """
        variants = {word: list_case_variants(word, self.exact) for word in words}
        all_variants = set(itertools.chain.from_iterable(variants.values()))
        vectors = read_vectors(self.path, self.units, all_variants, frequent)
        known = {}
        for word in words:
            for variant in variants[word]:
                if variant in vectors:
                    known[word] = vectors[variant]
                    break
        return known, dict(itertools.islice(vectors.items(), frequent))

    def read_first_words(self, count):
        """Returns the set of the first `count` words of the file."""
        return read_first_words(self.path, self.units, count)


def list_case_variants(word, exact=False):
    """Returns the distinct variants of a word in lookup order: unchanged, lower-cased,
    capitalized.

    With `exact`, the list contains only the unchanged word.
    """
    if exact:
        return [word]
    return list(dict.fromkeys([word, word.lower(), word.capitalize()]))

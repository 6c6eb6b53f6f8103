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
        """Returns two dictionaries of word to array `(units,)`: the vectors of the
        given words, looked up by case variants, and of the file's first `frequent`
        words."""
        variants = {word: list_case_variants(word, self.exact) for word in words}
        forms = set(itertools.chain.from_iterable(variants.values()))
        vectors = read_vectors(self.path, self.units, forms, frequent)
        known = {}
        for word in words:
            for form in variants[word]:
                if form in vectors:
                    known[word] = vectors[form]
                    break
        return known, dict(itertools.islice(vectors.items(), frequent))

    def read_first_words(self, count):
        """Returns the first `count` words of the file."""
        return read_first_words(self.path, self.units, count)


def list_case_variants(word, exact=False):
    """Returns the variants of a word in lookup order: unchanged, lower case,
    capitalized. With `exact`, only the unchanged word."""
    return [word] if exact else dict.fromkeys([word, word.lower(), word.capitalize()])

"""Exports the word vectors of a release to a text file."""

import gzip
from pathlib import Path

from dsa.data.words.vocabulary import FIRST_WORD
from dsa.hub.releases import fetch_release
from dsa.runs.run_folder import RunFolder

EMBEDDING_PATH = "embedding/table/vars/0"  # HDF5 path in the weight file


def write_word_vectors(release: str, path: Path) -> None:
    """Writes the word vectors of a release to a gzipped text file in GloVe's format.

    Each line contains a word and its vector.

    Args:
        release: name of the release.
        path: path of the file.

    Raises: `InputError`: see `fetch_release`.
    """
    import h5py

    run = RunFolder(fetch_release(release))
    with h5py.File(run.path / run.experiment().family.weights_file) as weights:
        vectors = weights[EMBEDDING_PATH][FIRST_WORD:]
    # compression level 1: higher levels take seconds longer and save little
    with gzip.open(path, "wt", 1, encoding="utf-8", newline="\n") as file:
        for word, vector in zip(run.vocabulary().words, vectors.tolist(), strict=True):
            # five digits represent float16 numbers exactly
            numbers = " ".join(f"{number:.5g}" for number in vector)
            file.write(f"{word} {numbers}\n")

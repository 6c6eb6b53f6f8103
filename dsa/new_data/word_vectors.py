"""Word vectors of a release as a text file."""

import gzip
from pathlib import Path

from dsa.data.words.vocabulary import FIRST_WORD
from dsa.hub.releases import fetch_release
from dsa.runs.run_folder import RunFolder

TABLE = "embedding/table/vars/0"  # in the weight file


def write_word_vectors(release: str, path: Path) -> None:
    """Writes the word vectors of a release as a gzipped text file: on each line a word
    and its numbers.

    Raises: `InputError` as `fetch_release`.
    """
    import h5py

    run = RunFolder(fetch_release(release))
    with h5py.File(run.path / run.experiment().family.weights_file) as weights:
        table = weights[TABLE][FIRST_WORD:]
    # level 1: a higher level takes seconds and saves little
    with gzip.open(path, "wt", 1, encoding="utf-8", newline="\n") as file:
        line = "%s" + " %.5g" * table.shape[1] + "\n"  # float16 has four digits
        for word, vector in zip(run.vocabulary().words, table.tolist(), strict=True):
            file.write(line % (word, *vector))

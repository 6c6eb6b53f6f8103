"""Copy a finished run with float16 weights, which halves the file size.

    python tools/half_precision_run.py runs/snli/dsa/seed-13 runs/half

Loading the copy converts the rounded weights back to float32. Evaluations are not
copied, because rounding can change the metrics. Evaluate the copy with `dsa evaluate`,
and package it with `tools/release_file.py`.

Words with equal vectors are adjacent in the vocabulary of the copy, except with
`embedding.outside: frozen`, because zip compression finds repetitions only within 32
KB. Predictions are not affected.
"""

import argparse
import shutil
from pathlib import Path

import h5py
import numpy as np

from dsa.data.words.vocabulary import FIRST_WORD, Vocabulary
from dsa.errors import InputError
from dsa.hub.shared_files import check_run
from dsa.new_data.word_vectors import EMBEDDING_PATH
from dsa.runs.run_files import MODEL_FILES, write_record
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.system.atomic_files import create_folder
from dsa.system.command_line import command

WEIGHTS = "best.weights.h5"
VOCABULARY = "vocabulary.txt"


def copy_in_half_precision(run: str | Path, new: str | Path) -> None:
    """Copies a run to the folder `new`, with float16 weights.

    Raises: `InputError` if the run is not finished, has no weights or no record of its
        files, if `new` exists, or if a weight overflows float16.
    """
    folder, new = RunFolder(run), Path(new)
    if not is_finished(folder) or not (folder.path / WEIGHTS).is_file():
        raise InputError(f"{folder.path} is not a finished run with {WEIGHTS}")
    check_run(folder)
    if new.exists():
        raise InputError(f"{new} already exists and is not overwritten")
    new.parent.mkdir(parents=True, exist_ok=True)
    with create_folder(new) as temporary:
        temporary.mkdir()
        for name in MODEL_FILES:
            source = folder.path / name
            if source.exists():
                copy = _halve if name == WEIGHTS else shutil.copyfile
                copy(source, temporary / name)
        if folder.experiment().embedding.outside != "frozen":
            # with "frozen", the words with frozen vectors must remain the last ones
            _order_words(temporary)
        write_record(temporary)
        shutil.copyfile(folder.path / "history.csv", temporary / "history.csv")
        environment = {**folder.environment(), "weights": "float16"}
        RunFolder(temporary).write_json("environment.json", environment)


def _halve(source: Path, target: Path) -> None:
    with h5py.File(source) as weights, h5py.File(target, "w") as halved:
        halved.attrs.update(weights.attrs)

        def copy(name, item):
            if isinstance(item, h5py.Group):
                new_item = halved.create_group(name)
            else:
                new_item = halved.create_dataset(
                    name, data=round_weights(item[()], name)
                )
            new_item.attrs.update(item.attrs)

        weights.visititems(copy)


def _order_words(run: Path) -> None:
    """Reorders the words of a copied run such that equal vectors are adjacent."""
    words = RunFolder(run).vocabulary().words
    with h5py.File(run / WEIGHTS, "r+") as weights:
        vectors = weights[EMBEDDING_PATH]
        order = group_equal_rows(vectors[FIRST_WORD:])
        vectors[FIRST_WORD:] = vectors[FIRST_WORD:][order]
    text = Vocabulary(words[index] for index in order).to_text()
    (run / VOCABULARY).write_bytes(text.encode("utf-8"))


def group_equal_rows(matrix: np.ndarray) -> np.ndarray:
    """Returns an order of the rows of a matrix in which equal rows are adjacent.

    The groups of equal rows are in the order of their first rows.
    """
    _, first, group = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    return np.argsort(first[group.reshape(-1)], kind="stable")


def round_weights(values: np.ndarray, name: str) -> np.ndarray:
    """Rounds float32 arrays to float16. Other arrays are returned unchanged."""
    if values.dtype != np.float32:
        return values
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float16)
    if not np.isfinite(rounded).all():
        raise InputError(f"{name}: a weight overflows float16")
    return rounded


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", help="run folder")
    parser.add_argument("new", type=Path, help="output folder")
    options = parser.parse_args(arguments)
    copy_in_half_precision(options.run, options.new)
    size = (options.new / WEIGHTS).stat().st_size
    print(f"{options.new / WEIGHTS}: {size:,} bytes")


if __name__ == "__main__":
    raise SystemExit(main())

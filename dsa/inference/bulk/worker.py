"""Computes the unfinished shards of a range of shards."""

if __name__ == "__main__":
    from dsa.jobs.job_process import die_with_parent

    die_with_parent()  # before slow imports

import argparse
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dsa.backends.choice import check_backend_when_keras_is_imported, get_backend_name
from dsa.backends.device_check import log_device
from dsa.backends.keras_import import prepare_keras
from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.inference.bulk.manifest import (
    MANIFEST,
    ONNX,
    VECTORS,
    Manifest,
    fingerprint_run,
)
from dsa.inference.input_rows import read_shards
from dsa.inference.new_words import find_vector_file
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import fingerprint
from dsa.version import __version__

log = logging.getLogger(__name__)


@command(log_to_stderr=True)
def main(arguments=None):
    """Computes the shards given by command line arguments."""
    prepare_keras()
    check_backend_when_keras_is_imported()
    compute_shards(arguments)


def load_model(
    options: argparse.Namespace, manifest: Manifest
) -> Callable[[list[Example]], Any]:
    """Loads a run, with vectors for the new words of the unfinished shards.

    Args:
        options: parsed arguments of the worker.
        manifest: the `Manifest` of the job.

    Returns: a function that maps the rows of a shard to vectors `(rows, units)` or to
        JSON lines.

    Raises: `InputError`, see `dsa.load`.
    """
    from dsa.inference.loading import load
    from dsa.inference.prediction_files import format_predictions

    runtime = "keras"
    if manifest.backend == ONNX:
        runtime = ONNX
    trained = load(options.run, options.vectors, options.data_root, runtime)
    if runtime != ONNX:
        log_device()
    if trained.lookup is not None:
        new_words: set[str] = set()
        for _, rows in _read_unfinished_shards(options, manifest):
            prepared = trained.prepare(rows, manifest.source)
            new_words.update(trained.vocabulary.list_unknown(prepared.words))
        trained = trained.with_words(new_words)
        trained.lookup = None  # the model has all vectors that the shards need

    def compute_shard(rows):
        if manifest.output == VECTORS:
            return trained.encode([example.texts[0] for example in rows])
        return format_predictions(trained, rows, manifest.source)

    return compute_shard


def compute_shards(
    arguments: list[str] | None, load: Callable[..., Any] = load_model
) -> None:
    """Computes and writes the unfinished shards of a range of shards.

    Args:
        arguments: command line arguments; `None` for `sys.argv`.
        load: function that returns the function that computes a shard, see
            `load_model`.

    Raises: `InputError` if the manifest is missing, if the run, input, backend or
        version differ from the manifest, or if a vector is outside the range of its
        dtype.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="output folder")
    parser.add_argument("run", type=RunFolder, help="run folder")
    parser.add_argument("file", type=Path, help="input file")
    parser.add_argument(
        "--shards",
        nargs=2,
        type=int,
        required=True,
        metavar=("FIRST", "LAST"),
        help="range of shards, inclusive",
    )
    parser.add_argument(
        "--vectors", help="vector file for words outside the vocabulary"
    )
    parser.add_argument(
        "--data-root", help="folder of the corpora (default: DSA_DATA, else data/)"
    )
    options = parser.parse_args(arguments)
    manifest = Manifest.read(options.folder)
    if manifest is None:
        raise InputError(f"{options.folder / MANIFEST} is missing")
    experiment = options.run.experiment()
    vector_file = find_vector_file(
        experiment.family, experiment.embedding, options.vectors, options.data_root
    )
    current = {
        "run_sha256": fingerprint_run(options.run),
        "word_vectors_sha256": fingerprint(vector_file) if vector_file else None,
        "input_sha256": fingerprint(options.file),
        "backend": ONNX if manifest.backend == ONNX else get_backend_name(),
        "version": __version__,
    }
    manifest.check_settings(options.folder, manifest.model_copy(update=current))
    compute_shard = None  # the model is only loaded if a shard is unfinished
    for number, rows in _read_unfinished_shards(options, manifest):
        if compute_shard is None:
            compute_shard = load(options, manifest)
        started = time.monotonic()
        path = manifest.locate_shard(options.folder, number)
        _write_shard(path, compute_shard(rows), manifest.dtype)
        rows_per_second = len(rows) / (time.monotonic() - started)
        log.info("%s: %d rows, %.0f per second", path.name, len(rows), rows_per_second)


def _read_unfinished_shards(options, manifest):
    """Yields `(shard number, rows)` for each unfinished shard in the range."""
    first, last = options.shards
    unfinished = manifest.list_unfinished(options.folder)
    shards = read_shards(
        options.file, manifest.form, manifest.columns, manifest.shard_rows
    )
    for number, rows in enumerate(shards):
        if first <= number <= last and number in unfinished:
            yield number, rows
        if number == last:
            return


def _write_shard(path, result, dtype):
    """Writes predictions or vectors to a shard file.

    Args:
        path: path of the shard.
        result: JSON lines, or vectors.
        dtype: dtype of the vectors; `None` for JSON lines.
    """
    if dtype is None:
        write_atomically(path, result)
        return
    with np.errstate(over="ignore"):
        vectors = result.astype(dtype)
    if not np.isfinite(vectors).all():
        raise InputError(f"{path}: vectors are outside the range of {dtype}")
    write_atomically(path, lambda temporary: np.save(temporary, vectors))


if __name__ == "__main__":
    raise SystemExit(main())

"""Inference on inputs of any size, in shards.

All rows are checked before the first shard is computed.
"""

import dataclasses
import logging
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from dsa.backends.choice import get_backend_name
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.inference.bulk.manifest import (
    MANIFEST,
    ONNX,
    UNFINISHED,
    VECTORS,
    Manifest,
    fingerprint_run,
)
from dsa.inference.input_rows import (
    SENTENCES,
    check_token_counts,
    copy_standard_input,
    find_columns,
    parse_columns,
    read_shards,
)
from dsa.inference.new_words import find_vector_file
from dsa.inference.onnx_inference import choose_onnx
from dsa.inference.sentence_vectors import check_has_encoder
from dsa.jobs.execute import execute
from dsa.jobs.job import Job
from dsa.runs.outputs import check_output
from dsa.runs.run_folder import RunFolder
from dsa.system.folder_lock import BULK, hold_folder
from dsa.system.folders import data_root
from dsa.system.reading import fingerprint
from dsa.system.terminal import show_progress
from dsa.version import __version__

ROWS_PER_JOB = 500_000
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class BulkInference:
    """Bulk inference: computes vectors or predictions for all rows of an input.

    Attributes:
        output: "vectors" or "predictions".
        run: the run folder.
        file: path of the input; "-" for standard input.
        folder: output folder.
        shard_rows: number of rows per shard.
        columns: columns of the inputs, as `INPUT=COLUMN`.
        dtype: "float32" or "float16", for vectors.
        vectors: vector file for words outside the vocabulary; `None` for the file in
            the run's config.
        root: the data root; `None` for the default.
        runtime: see `choose_onnx`.
        worker: module that computes the shards.
    """

    output: Any
    run: RunFolder
    file: str
    folder: Path
    shard_rows: int
    columns: tuple[str, ...] = ()
    dtype: Any = "float32"
    vectors: str | None = None
    root: str | None = None
    runtime: str = "auto"
    worker: str = "dsa.inference.bulk.worker"

    def compute(
        self, executor: Any, jobs: int | None = None, force: bool = False
    ) -> Manifest | None:
        """Computes the unfinished shards.

        Args:
            executor: see `dsa.jobs`.
            jobs: number of jobs; `None` for one job per worker or per 500,000 rows.
            force: whether to delete earlier results.

        Returns: the manifest, or `None` if the executor only prints the jobs.

        Raises: `InputError` if the run or a row is malformed, or if the folder contains
            results of other settings; `BusyError` if another process uses the folder;
            `JobsFailed` if jobs have failed.
        """
        if self.output == VECTORS:
            check_has_encoder(self.run.path, self.run.experiment().model.name)
        self.run.check_files()
        unfinished = self.folder / UNFINISHED
        with hold_folder(self.folder, BULK):
            self._check_earlier_results(force)
            path = Path(self.file)
            if self.file == "-":
                unfinished.mkdir(exist_ok=True)
                path = copy_standard_input(unfinished, named=bool(self.columns))
            manifest = self._open_manifest(path, force)
            shard_jobs = self._list_jobs(manifest, path, executor, jobs)
            if shard_jobs and not execute(shard_jobs, executor, unfinished / "logs"):
                return None
            shutil.rmtree(unfinished, ignore_errors=True)
            # temporary files of killed processes
            for temporary in self.folder.glob("tmp.????????.*"):
                temporary.unlink()
            return manifest

    def _check_earlier_results(self, force):
        """Checks whether new results can be written into the folder.

        Raises: `InputError` if the folder contains shards without a manifest and
            `force` is false, or if an input file would be deleted.
        """
        shards = list(self.folder.glob("part-*"))
        manifest = self.folder / MANIFEST
        if shards and not force and not manifest.exists():
            raise InputError(f"{shards[0]} already exists. --force deletes it")
        if force:
            for path in (manifest, *shards):
                check_output(path, force, [self.file, self.vectors])

    def _open_manifest(self, path, force):
        """Returns the manifest of an earlier call, or writes a new manifest.

        All rows are read and checked before earlier results are deleted and a new
        manifest is written.

        Args:
            path: path of the input.
            force: whether to delete earlier results.
        """
        experiment = self.run.experiment()
        is_encoding = self.output == VECTORS
        form: Any = SENTENCES if is_encoding else experiment.task.file_form
        columns = parse_columns(self.columns, form)
        vector_file = find_vector_file(
            experiment.family, experiment.embedding, self.vectors, self.root
        )
        manifest = Manifest(
            output=self.output,
            source="standard input" if self.file == "-" else self.file,
            input_sha256=fingerprint(path),
            form=form,
            columns=find_columns(path, form, columns, experiment.data),
            run_sha256=fingerprint_run(self.run),
            word_vectors_sha256=fingerprint(vector_file) if vector_file else None,
            dtype=self.dtype if is_encoding else None,
            backend=self._choose_backend(vector_file),
            version=__version__,
            shard_rows=self.shard_rows,
        )
        previous = None if force else Manifest.read(self.folder)
        if previous is not None:
            previous.check_settings(self.folder, manifest)
            return previous
        tokenize = Tokenizer(**experiment.tokenizer.model_dump())
        counts = []
        shards = read_shards(path, form, manifest.columns, self.shard_rows)
        for rows in show_progress(shards, f"reading {path}"):
            check_token_counts(rows, tokenize, path)
            counts.append(len(rows))
        manifest = manifest.model_copy(update={"shards": counts})
        if force:
            (self.folder / MANIFEST).unlink(missing_ok=True)
            for shard in self.folder.glob("part-*"):
                shard.unlink()
        manifest.write(self.folder)
        log.info("%s: %d rows, %d shards", path, sum(counts), len(counts))
        return manifest

    def _choose_backend(self, vector_file):
        """Returns "onnx", or the backend of Keras.

        Keras is required if words are looked up in a vector file.

        Args:
            vector_file: path of the vector file, or `None`.
        """
        if vector_file is None and choose_onnx(self.run, self.runtime):
            return ONNX
        if self.runtime == ONNX:
            raise InputError(
                "--runtime onnx cannot add vectors of new words from "
                f"{vector_file}. Use --runtime auto"
            )
        return get_backend_name()

    def _list_jobs(self, manifest, path, executor, count):
        """Returns the jobs that compute the unfinished shards.

        Args:
            manifest: the `Manifest`.
            path: path of the input.
            executor: see `compute`.
            count: number of jobs, or `None`, see `compute`.
        """
        unfinished = manifest.list_unfinished(self.folder)
        total = len(manifest.shards)
        log.info("%d of %d shards are finished", total - len(unfinished), total)
        if count is None:
            rows = sum(manifest.shards[number] for number in unfinished)
            count = getattr(executor, "workers", math.ceil(rows / ROWS_PER_JOB))
        jobs = []
        parts = np.array_split(np.array(unfinished, int), max(count, 1))
        for numbers in parts:
            if not len(numbers):
                continue
            first, last = numbers[0], numbers[-1]
            command = [self.folder, self.run.path, path, "--shards", first, last]
            if self.vectors is not None:
                command += ["--vectors", self.vectors]
            command += ["--data-root", data_root(self.root)]

            def is_finished(numbers=numbers):
                return not set(numbers) & set(manifest.list_unfinished(self.folder))

            name = f"shards {first + 1} to {last + 1} of {total}"
            arguments = tuple(map(str, command))
            job = Job(name, arguments, self.folder, is_finished, self.worker)
            jobs.append(job)
        return jobs

"""Encodes or predicts an input of any size: checks its rows, runs jobs, joins results.

Killed at any moment, the same call resumes, and the result has the same bytes.
"""

import dataclasses
import logging
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dsa.backends.choice import choose_backend
from dsa.data.corpora.example import MAX_TOKENS, Example, check_length
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.inference import input_rows
from dsa.inference.bulk.manifest import MANIFEST, read_manifest, write_manifest
from dsa.inference.bulk.missing_words import WordSearch
from dsa.inference.bulk.shards import (
    FILES,
    PLAN,
    VECTORS,
    WORK,
    Plan,
    Shards,
    check_same_settings,
    fingerprint_run,
    write_rows,
)
from dsa.inference.new_words import find_vector_file
from dsa.inference.sentence_vectors import check_encodes
from dsa.jobs.execute import execute
from dsa.jobs.job import Job
from dsa.runs.outputs import check_output
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import temporary_files
from dsa.system.folder_lock import BULK, hold_folder
from dsa.system.reading import fingerprint
from dsa.system.terminal import show_progress
from dsa.version import __version__

ROWS_PER_JOB = 500_000  # where nobody says how many jobs there are
MODULE = "dsa.inference.bulk.worker"  # of the jobs
STANDARD_INPUT = "standard input"  # what errors call it
MOST_TOKENS = 3  # of a character, and two at the boundaries of a text
PARSED = "binary_parse"  # the tokenizer that reads parses
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class BulkWork:
    """A piece of bulk work."""

    what: str  # `VECTORS` or `PREDICTIONS`
    run: RunFolder
    file: str  # the input; "-" for standard input
    out: Path  # the folder of the result
    shard_rows: int  # rows per shard
    columns: tuple[str, ...] = ()  # texts `INPUT=COLUMN`
    dtype: str = "float32"  # of vectors, or `float16`
    vectors: str | None = None  # a file for words that the run lacks; not the config's
    root: str | None = None  # the data root; `None` for the usual one

    @property
    def work(self) -> Path:
        """The folder of what is unfinished."""
        return self.out / WORK

    def do(
        self, executor: Any, jobs: int | None = None, force: bool = False
    ) -> dict[str, Any] | None:
        """Computes what is missing.

        Args:
            executor: see `dsa.jobs`.
            jobs: that the shards are dealt to; `None` for as many as the executor has
                workers, or one for each 500,000 rows.
            force: whether other work in the folder is removed first.

        Returns: the manifest; `None` if the executor only shows the jobs.

        Raises: `InputError` for a run, an input or a row that cannot be read, and for a
            folder with other work; `BusyError` if another process is at work there;
            `JobsFailed`.
        """
        self.run.check_folder()
        self.run.check_files()
        if self.what == VECTORS:
            check_encodes(self.run.path, self.run.experiment())
        if RunFolder(self.out).is_started():
            raise InputError(f"{self.out}: a run folder: name another folder")
        if self.work.is_symlink():
            raise InputError(f"{self.work}: a link: remove it, or name another folder")
        with hold_folder(self.out, BULK):  # new folders are removed if it fails
            ours = force or read_manifest(self.out) or (self.work / PLAN).exists()
            for name in FILES.values():
                inputs = [self.file, self.vectors]
                check_output(self.out / name, bool(ours), inputs)
            self._remove_files(force)
            plan = self._find_plan()
            if plan is None:
                log.info("%s: finished already", self.out)
            elif not self._compute(plan, executor, jobs):
                return None
            shutil.rmtree(self.work)
            return read_manifest(self.out)

    def _find_plan(self):
        """Returns the `Plan`; `None` if the result is complete."""
        self.work.mkdir(exist_ok=True)
        try:
            return _Planning(self).find_plan()
        except BaseException:
            if not (self.work / PLAN).exists():  # nothing was computed
                shutil.rmtree(self.work)
            raise

    def _remove_files(self, force):
        """Removes what killed calls have left beside the files of the result, and with
        `force` also these."""
        for name in (MANIFEST, *FILES.values()):
            for left in temporary_files(self.out / name):
                left.unlink(missing_ok=True)
            if force:
                (self.out / name).unlink(missing_ok=True)
        if force:
            shutil.rmtree(self.work, ignore_errors=True)

    def _compute(self, plan, executor, count):
        """Runs the jobs, and completes the result.

        Returns: whether it is complete; `False` if the jobs are only shown.
        """
        shards = Shards(self.work, plan)
        left = shards.list_unfinished()
        if count is None:
            rows = sum(plan.shards[number] for number in left)
            count = getattr(executor, "workers", -(-rows // ROWS_PER_JOB))
        jobs = [self._make_job(shards, part) for part in deal(left, count)]
        log.info("%d of %d shards are left", len(left), len(plan.shards))
        if jobs and not execute(jobs, executor, self.work / "logs"):
            return False
        facts = shards.join_results(self.out / FILES[self.what])
        write_manifest(self.out, plan, facts)
        return True

    def _make_job(self, shards, numbers):
        """Returns the job of some shards that follow each other."""
        first, last = numbers[0], numbers[-1]
        command = [self.out, self.run.path, "--shards", first, last]
        if self.root is not None:
            command += ["--data-root", self.root]
        return Job(
            f"shards {first + 1} to {last + 1} of {len(shards.plan.shards)}",
            tuple(map(str, command)),
            self.out,
            lambda: not {*numbers} & {*shards.list_unfinished()},
            module=MODULE,
        )


class _Planning:
    """Makes the `Plan` of a `BulkWork`: reads, checks and cuts its rows."""

    def __init__(self, work: BulkWork) -> None:
        self._work, self._experiment = work, work.run.experiment()
        is_encoding = work.what == VECTORS
        task = self._experiment.task
        self._form = input_rows.SENTENCES if is_encoding else task.file_form
        # whether the rows of a group are compared with each other
        self._has_groups = task.ranks and not is_encoding
        is_parsed = self._experiment.tokenizer.name == PARSED
        self._reads_parses = is_parsed and not is_encoding

    def find_plan(self) -> Plan | None:
        """Returns a new plan or that of an earlier call; `None` if its result is
        complete.

        Raises: `InputError` for a row that cannot be read, and for a folder with other
            work.
        """
        work = self._work
        columns = input_rows.parse_columns(work.columns, self._form)
        if work.file != "-":
            return self._find_plan(Path(work.file), work.file, columns)
        path = input_rows.keep_standard_input(work.work, columns is not None)
        try:
            return self._find_plan(path, STANDARD_INPUT, columns)
        except InputError as error:
            raise InputError(str(error).replace(str(path), STANDARD_INPUT)) from error

    def _find_plan(self, path, source, columns):
        work = self._work
        words = find_vector_file(self._experiment, work.vectors, work.root)
        settings = self._make_settings(path, columns, words)
        done = read_manifest(work.out)
        plan = Plan.read(work.work)
        for earlier in (done and done["settings"], plan and plan.settings):
            if earlier:
                check_same_settings(work.out, earlier, settings)
        return None if done else plan or self._make_plan(path, source, settings, words)

    def _make_settings(self, path, columns, words):
        """Returns what decides the result."""
        work = self._work
        own = None if work.what == VECTORS else self._experiment.data
        return {
            "what": work.what,
            "run": fingerprint_run(work.run),
            "input": fingerprint(path),
            "columns": input_rows.find_columns(path, self._form, columns, own),
            "word_vectors": words and fingerprint(words),
            "shard_rows": work.shard_rows,
            "dtype": work.dtype if work.what == VECTORS else None,
            "backend": choose_backend(),
            "version": __version__,
        }

    def _make_plan(self, path, source, settings, words):
        """Writes all rows, and then the plan."""
        log.info("reading %s", source)
        work = self._work.work
        before = os.stat(path)
        examples = input_rows.read_examples(path, self._form, settings["columns"])
        examples = self._check_rows(examples, path)
        search = words and WordSearch(self._work.run, self._experiment, words)
        if search:
            examples = search.watch(examples)
        examples = show_progress(examples, f"reading {source}")
        shards = write_rows(work, examples, self._work.shard_rows)
        if search:
            search.find().write(work)
        after = os.stat(path)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise InputError(f"{path}: has changed while it was read")
        plan = Plan(settings, source, shards, self._reads_parses)
        plan.write(work)
        log.info("%s: %d rows, %d shards", source, plan.rows, len(shards))
        return plan

    def _check_rows(self, examples: Iterable[Example], path: Path) -> Iterator[Example]:
        """Yields the rows without what no job needs.

        Raises: `InputError` for a text with too many tokens, before anything is
            computed.
        """
        tokenize = Tokenizer(**self._experiment.tokenizer.model_dump())
        for example in examples:
            for text in example.texts:
                if MOST_TOKENS * len(text) + 2 > MAX_TOKENS:
                    place = f"{path}, row {example.row}: a text"
                    check_length(len(tokenize(text)), place)
            if example.parses is None:
                self._reads_parses = False  # then those of the other rows neither
            parses = example.parses if self._reads_parses else None
            group = example.group if self._has_groups else None
            yield example._replace(parses=parses, group=group)


def deal(items: list[int], count: int) -> list[list[int]]:
    """Returns some items as at most `count` lists of about one length, in order.

    Example:
        >>> deal([1, 2, 3, 4, 5], 2)
        [[1, 2, 3], [4, 5]]
    """
    parts = np.array_split(np.array(items, int), max(count, 1))
    return [part.tolist() for part in parts if len(part)]

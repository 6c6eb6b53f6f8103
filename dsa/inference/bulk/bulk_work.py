"""An input of any size to vectors or predictions: rows, jobs, and the result.

Killed at any moment, the same call goes on where it was, and the result has the same
bytes.
"""

import dataclasses
import logging
import shutil
from pathlib import Path

from dsa.experiment.outputs import check_output
from dsa.experiment.run_folder import RunFolder
from dsa.hub.fetching import find_run
from dsa.inference.bulk.manifest import MANIFEST, read_manifest, write_manifest
from dsa.inference.bulk.plan import PLAN, VECTORS, WORK
from dsa.inference.bulk.planning import Planning
from dsa.inference.bulk.results import KINDS
from dsa.inference.encoding_runs import check_encodes
from dsa.jobs.execute import execute
from dsa.jobs.job import Job
from dsa.system.atomic_files import temporary_files
from dsa.system.folder_lock import BULK, hold_folder

ROWS_OF_A_JOB = 500_000  # where nobody says how many jobs there are
FILES = (MANIFEST, *(kind.file for kind in KINDS.values()))
MODULE = "dsa.inference.bulk"  # of the jobs
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class BulkWork:
    """What is to be done.

    Args:
        what: `VECTORS` or `PREDICTIONS`.
        run: the run folder, a `RunFolder`.
        file: the input; "-" for standard input.
        out: the folder of the result.
        shard_rows: rows of a shard.
        columns: texts `INPUT=COLUMN`; empty for none.
        dtype: of vectors, `float32` or `float16`.
        vectors: a vector file for words that the run lacks; `None` for the config's.
        root: the data root; `None` for the usual one.
    """

    what: str
    run: RunFolder
    file: str
    out: Path
    shard_rows: int
    columns: tuple = ()
    dtype: str = "float32"
    vectors: str | None = None
    root: str | None = None

    def do(self, executor, jobs=None, force=False):
        """Compute what is missing.

        Args:
            executor: see `dsa.jobs`.
            jobs: how many jobs the shards are dealt to; `None` for as many as the
                executor has workers, or one for each 500,000 rows.
            force: whether other work in the folder is removed first.

        Returns: the manifest, a dictionary; `None` if the executor only shows the jobs.

        Raises: `InputError` for a run, an input or a row that cannot be read, and for a
            folder with other work; `BusyError` if another process is at work there;
            `JobsFailed`.
        """
        run = RunFolder(find_run(self.run), self.run.trust)
        run.check_no_links()
        run.check_files()
        if self.what == VECTORS:
            check_encodes(run.path, run.experiment())
        with hold_folder(self.out, BULK):  # new folders are removed if it fails
            self._check_output(force)
            if force:
                self._remove_all()
            self._remove_left_files()
            plan = self._plan(run)
            if plan is None:
                log.info("%s: finished already", self.out)
            elif not self._compute(plan, executor, jobs):
                return None
            shutil.rmtree(self.out / WORK)
            return read_manifest(self.out)

    def _plan(self, run):
        """The `Plan`; `None` if the result is complete."""
        work = self.out / WORK
        work.mkdir(exist_ok=True)
        try:
            return Planning(self, work, run).make_plan()
        except BaseException:
            if not (work / PLAN).exists():  # nothing was computed
                shutil.rmtree(work)
            raise

    def _check_output(self, force):
        """Raises an error for a folder with a file that was not made here."""
        ours = force or read_manifest(self.out) or (self.out / WORK / PLAN).exists()
        for kind in KINDS.values():
            inputs = [self.file, self.vectors]
            check_output(self.out / kind.file, bool(ours), inputs)

    def _remove_all(self):
        for name in FILES:
            (self.out / name).unlink(missing_ok=True)
        shutil.rmtree(self.out / WORK, ignore_errors=True)

    def _remove_left_files(self):
        """Remove what killed calls have left beside the files of the result."""
        for name in FILES:
            for left in temporary_files(self.out / name):
                left.unlink(missing_ok=True)

    def _compute(self, plan, executor, count):
        """Run the jobs, and complete the result; `False` if they are only shown."""
        results = KINDS[self.what](self.out / WORK, plan)
        left = [n for n in range(len(plan.shards)) if not results.is_finished(n)]
        if count is None:
            rows = sum(plan.shards[number].rows for number in left)
            count = getattr(executor, "workers", -(-rows // ROWS_OF_A_JOB))
        jobs = [self._make_job(results, part) for part in deal(left, count)]
        log.info("%d of %d shards are left", len(left), len(plan.shards))
        if jobs and not execute(jobs, executor, self.out / WORK / "logs"):
            return False
        facts = results.finish(self.out / results.file)
        write_manifest(self.out, plan, results, facts)
        return True

    def _make_job(self, results, numbers):
        """The job of some shards that follow each other."""
        first, last = numbers[0], numbers[-1]
        command = [self.out, self.run.path, "--shards", first, last]
        if self.root is not None:
            command += ["--data-root", self.root]
        command += ["--trust"] * self.run.trust

        def is_finished():
            return all(map(results.is_finished, numbers))

        name = f"shards {first + 1} to {last + 1} of {len(results.plan.shards)}"
        command = tuple(map(str, command))
        return Job(name, command, self.out, is_finished, module=MODULE)


def deal(items, count):
    """Some items as at most `count` lists of about one length, in order.

    Example:
        >>> deal([1, 2, 3, 4, 5], 2)
        [[1, 2, 3], [4, 5]]
    """
    size, more = divmod(len(items), max(count, 1))
    ends = [size * n + min(n, more) for n in range(max(count, 1) + 1)]
    return [items[a:b] for a, b in zip(ends, ends[1:], strict=False) if a < b]

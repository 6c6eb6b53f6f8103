"""Kills bulk work at every one of its changes of the disk, and lets it go on.

    python -m tests.support.killed_bulk FOLDER vectors|predictions

Driver and jobs are one process here, a fork for each kill, that ends by `kill -9` at
its n-th change: before it, or in the middle of what it writes. Then the same work is
done again. Prints how many moments there were; each result must have the same bytes.
"""

import os
import pathlib
import shutil
import signal
import sys

from dsa.hub.fetching import find_run_folder
from dsa.inference.bulk import worker
from dsa.inference.bulk.bulk_work import BulkWork
from dsa.jobs.job_process import DONE, Ending
from tests.support.forks import Fork
from tests.support.small_bulk import RUN, load_small_model

CHANGES = "replace fsync unlink rmdir mkdir".split()


class InThisProcess:
    """An executor that runs jobs where it is."""

    runs_jobs, stops_at_failure, workers = True, True, 2

    def __init__(self):
        self._ended = []

    def open(self, logs):
        pass

    def has_room(self):
        return not self._ended

    def start(self, job):
        assert worker.main(list(job.command)) == 0
        self._ended.append((job, Ending(DONE)))

    def wait(self, seconds):
        ended, self._ended = self._ended, []
        return ended

    def close(self):
        pass


def do_work(what, source, out):
    """Nine rows in shards of two."""
    work = BulkWork(what, find_run_folder(RUN), str(source), out, 2)
    work.do(InThisProcess())


def die_at(count):
    """End this process at its `count`-th change of the disk."""
    left = count

    def replace(name):
        change = getattr(os, name)

        def change_or_die(*arguments, **named):
            nonlocal left
            left -= 1
            if left == 0:
                if name == "fsync":  # as if only half of the file had been written
                    os.truncate(arguments[0], os.fstat(arguments[0]).st_size // 2)
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments, **named)

        setattr(os, name, change_or_die)

    for name in CHANGES:
        replace(name)


def read_folder(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def main(folder, what):
    folder = pathlib.Path(folder)
    worker.load_model = load_small_model
    source = folder / "rows.txt"
    line = "a man number {}" if what == "vectors" else "a man {}\ta person"
    source.write_text("".join(line.format(n) + "\n" for n in range(9)))
    whole = folder / "whole"
    do_work(what, source, whole)  # here: what it imports, forks have
    expected = read_folder(whole)
    count = 0
    while True:
        out = folder / "killed"

        def work(out=out, count=count):
            die_at(count + 1)
            do_work(what, source, out)

        code = Fork(work).wait()
        if code == 0:
            break
        assert code == -signal.SIGKILL, f"moment {count}"
        again = Fork(lambda out=out: do_work(what, source, out))
        assert again.wait() == 0, f"moment {count}: {again.errors}"
        assert read_folder(out) == expected, f"moment {count}"
        shutil.rmtree(out)
        count += 1
    print(count)


if __name__ == "__main__":
    main(*sys.argv[1:])

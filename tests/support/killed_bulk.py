"""Kills a bulk inference before each of its changes to the disk, and resumes it.

    python -m tests.support.killed_bulk FOLDER vectors|predictions

Jobs run in the process of the command, which is forked for each kill and ends by
`kill -9` at its n-th change: before the change, or after half of a file was written.
Then the same command runs again and must give the complete results. Prints the number
of kills.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from tests.support.forks import Fork
from tests.support.small_bulk import InThisProcess, make_inference, write_texts

CHANGES = "replace fsync unlink rmdir mkdir".split()


def compute(folder, output, out):
    """Computes nine rows in shards of two."""
    make_inference(folder, output, out=out, shard_rows=2).compute(InThisProcess())


def die_at(count):
    """Ends this process at its `count`-th change to the disk."""
    remaining = count

    def replace(name):
        change = getattr(os, name)

        def change_or_die(*arguments, **named):
            nonlocal remaining
            remaining -= 1
            if remaining == 0:
                if name == "fsync":  # as if only half of the file had been written
                    os.truncate(arguments[0], os.fstat(arguments[0]).st_size // 2)
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments, **named)

        setattr(os, name, change_or_die)

    for name in CHANGES:
        replace(name)


def read_folder(folder):
    """Returns the bytes of each file, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def main(folder, output):
    folder = Path(folder)
    line = "a man number {}" if output == "vectors" else "a man {}\ta person"
    write_texts(folder / "rows.txt", [line.format(n) for n in range(9)])
    compute(folder, output, "whole")  # in this process: forks inherit its imports
    expected = read_folder(folder / "whole")
    count = 0
    while True:

        def compute_or_die(count=count):
            die_at(count + 1)
            compute(folder, output, "killed")

        code = Fork(compute_or_die).wait()
        if code == 0:
            break
        assert code == -signal.SIGKILL, f"change {count}"
        again = Fork(lambda: compute(folder, output, "killed"))
        assert again.wait() == 0, f"change {count}: {again.errors}"
        assert read_folder(folder / "killed") == expected, f"change {count}"
        shutil.rmtree(folder / "killed")
        count += 1
    print(count)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A job without Keras that records its starts and ends in a chosen way.

    python -m tests.support.small_job FOLDER NAME [HOW] [NUMBER]

HOW: `done`; `fail`, with exit code 2; `busy`; `bug`; `interrupt`; `sleep`, for NUMBER
seconds; `clean`, for a minute, with a cleanup of NUMBER seconds after Ctrl-C; `die`, by
`kill -9` at the first NUMBER starts; `wait`, until FOLDER/go exists; `hold`, the lock
of FOLDER/NAME.d for NUMBER seconds, unless FOLDER/NAME exists. At its end it writes
FOLDER/NAME. FOLDER/NAME.starts contains a process id per start.
"""

import os
import pathlib
import signal
import sys
import time

from dsa.jobs.job_process import die_with_parent
from dsa.system.command_line import command
from dsa.system.folder_lock import TRAINING, lock_folder

die_with_parent()


def main(folder, name, how="done", number="0"):
    folder = pathlib.Path(folder)
    if how == "hold":
        hold(folder, name, float(number))
        return
    starts = folder / f"{name}.starts"
    with open(starts, "a") as file:
        file.write(f"{os.getpid()}\n")
    print(f"{name} has started", flush=True)
    if how in ("fail", "busy", "bug", "interrupt"):
        print(f"error: {name}: told to {how}", file=sys.stderr)
        code = {"fail": 2, "busy": 75, "bug": 1, "interrupt": 130}[how]
        raise SystemExit(code)
    if how == "sleep":
        time.sleep(float(number))
    if how == "clean":
        try:
            time.sleep(60)
        finally:
            time.sleep(float(number))
            (folder / f"{name}.cleaned").touch()
    if how == "die" and len(starts.read_text().split()) <= int(number):
        os.kill(os.getpid(), signal.SIGKILL)
    while how == "wait" and not (folder / "go").exists():
        time.sleep(0.05)
    (folder / name).write_text(os.environ.get("OMP_NUM_THREADS", "free"))


def hold(folder, name, seconds):
    """Locks its folder like a training; a no-op if the job is finished."""
    locked = folder / f"{name}.d"
    locked.mkdir(exist_ok=True)
    with lock_folder(locked, TRAINING):
        if not (folder / name).exists():
            main(folder, name, "sleep", seconds)


if __name__ == "__main__":
    raise SystemExit(command(lambda arguments: main(*sys.argv[1:]))())

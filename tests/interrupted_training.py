"""Runs scripts/train.py and does something to its own process at a chosen moment.

    python tests/interrupted_training.py MOMENT NUMBER TRAIN_ARGUMENTS...

kill-step 4     kill -9 after step 4 of this process
interrupt 4     Ctrl-C after step 4
kill-write 7    kill -9 when half of the 7th file is written
kill-rename 7   kill -9 when the 7th file is written and not yet renamed
full-disk 4     no file can grow beyond 5,000 bytes after step 4
never 0         nothing
"""

import os
import resource
import signal
import sys

from dsa import atomic


def at_step(number, action):
    from dsa.callbacks import StopAtNaN

    original, steps = StopAtNaN.on_step, []

    def on_step(self, logs):
        original(self, logs)
        steps.append(self.step)
        if len(steps) == number:
            action()

    StopAtNaN.on_step = on_step


def at_file(number, function, action):
    original, files = getattr(os, function), []

    def call(*arguments):
        files.append(arguments)
        if len(files) == number:
            action(*arguments)
        return original(*arguments)

    setattr(atomic.os, function, call)


def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def cut_and_kill(descriptor):
    os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
    kill()


def fill_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))


def main(moment, number, *arguments):
    number = int(number)
    if moment == "kill-step":
        at_step(number, kill)
    elif moment == "interrupt":
        at_step(number, lambda: os.kill(os.getpid(), signal.SIGINT))
    elif moment == "full-disk":
        at_step(number, fill_disk)
    elif moment == "kill-write":
        at_file(number, "fsync", cut_and_kill)
    elif moment == "kill-rename":
        at_file(number, "replace", kill)
    sys.path.insert(0, "scripts")
    import train

    return train.main(list(arguments))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))

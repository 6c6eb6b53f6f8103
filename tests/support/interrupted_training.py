"""Runs scripts/train.py and interrupts its process at a chosen moment.

    python tests/support/interrupted_training.py MOMENT WHEN TRAIN_ARGUMENTS...

kill-step 4               kill -9 after step 4 of this process
interrupt 4               Ctrl-C after step 4
kill-write state.npz      kill -9 after half of this file was written
kill-rename history.csv   kill -9 after this file was written, before it is renamed
full-disk 4               limits the size of files to 5,000 bytes after step 4
never -                   no interruption
"""

import os
import resource
import signal
import sys

from dsa.system import atomic_files as atomic


def at_step(number, action):
    from dsa.training.callbacks import StopAtStep

    original, steps = StopAtStep.on_train_batch_begin, []

    def on_train_batch_begin(self, batch, logs=None):
        original(self, batch, logs)
        if len(steps) == number:
            action()
        steps.append(self.step)

    StopAtStep.on_train_batch_begin = on_train_batch_begin


def at_file(name, action):
    original = os.replace

    def replace(temporary, path):
        if path.name == name:
            action(temporary)
        original(temporary, path)

    atomic.os.replace = replace


def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def cut_and_kill(temporary):
    os.truncate(temporary, os.path.getsize(temporary) // 2)
    kill()


def fill_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))


def main(moment, when, *arguments):
    if moment == "kill-step":
        at_step(int(when), kill)
    elif moment == "interrupt":
        # background jobs of a shell ignore Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
        at_step(int(when), lambda: os.kill(os.getpid(), signal.SIGINT))
    elif moment == "full-disk":
        at_step(int(when), fill_disk)
    elif moment == "kill-write":
        at_file(when, cut_and_kill)
    elif moment == "kill-rename":
        at_file(when, kill)
    sys.path.insert(0, "scripts")
    import train

    return train.main(list(arguments))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))

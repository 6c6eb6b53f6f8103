"""A command is killed at moments drawn evenly from its time, again and again; it must
end as if it had never been killed."""

import os
import random
import signal
import time
from pathlib import Path

from tests.faults.every_call import PATIENCE, run_situation
from tests.faults.folders import copy_folder
from tests.support.forks import Fork, run_in_fork

KILLS_PER_RESULT = 10  # before it may end


class Kills:
    """So many kills of a situation.

    Args:
        name, situation: of `tests.faults.situations`.
        folder: where everything is done.
        jobs: whether the processes that the command starts are killed in turn with it.
    """

    def __init__(self, name, situation, folder, seed=1, jobs=False):
        self._name, self._situation, self._folder = name, situation, folder
        self._draw, self._jobs = random.Random(f"{seed}-{name}"), jobs
        self.killed = {"command": 0, "job": 0}

    def try_all(self, count):
        """Kill so often; returns what is recorded, and what was broken."""
        start, whole = self._folder / "start", self._folder / "whole"
        start.mkdir(parents=True)
        self._end(run_in_fork(lambda: self._situation.prepare(start), PATIENCE))
        copy_folder(start, whole)
        began = time.monotonic()
        self._end(self._start(whole))
        seconds = time.monotonic() - began
        expected, broken, results = self._situation.read_result(whole), [], 0
        if not expected:
            raise SystemExit(f"{self._name}: no result")
        while self._count() < count:
            folder, results = self._folder / "killed", results + 1
            copy_folder(start, folder)
            for _ in range(min(KILLS_PER_RESULT, count - self._count())):
                self._kill(folder, self._draw.uniform(0, seconds))
            self._end(self._start(folder))
            if self._situation.read_result(folder) != expected:
                broken.append(f"{self._name}: another result after {self.killed}")
                print(broken[-1], flush=True)
        killed = {what: number for what, number in self.killed.items() if number}
        return {"kills": killed, "results": results, "broken": len(broken)}, broken

    def _count(self):
        return sum(self.killed.values())

    def _start(self, folder):
        return Fork(lambda: run_situation(self._situation, folder), folder)

    def _kill(self, folder, after):
        fork = self._start(folder)
        if fork.wait(after) is not None:
            self._end(fork)
            return
        jobs = _find_children(fork.pid) if self._jobs and self._count() % 2 else []
        if jobs:
            os.kill(self._draw.choice(jobs), signal.SIGKILL)
            fork.wait(PATIENCE)  # it says which job has failed
            self.killed["job"] += 1
        else:
            fork.kill()
            self.killed["command"] += 1

    def _end(self, fork):
        if fork.wait(PATIENCE):
            raise SystemExit(f"{self._name}: exit {fork.code}: {fork.errors[-3000:]}")


def _find_children(pid):
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))

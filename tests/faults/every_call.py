"""Each call of a situation fails once, and is once the last one."""

import os
import random
import re
import shutil
import tempfile
import time
from collections import Counter

from dsa.system.atomic_files import BYTES
from tests.faults.folders import copy_folder
from tests.faults.layer import FAULTS, count_calls, watch
from tests.support.forks import Fork, run_in_fork

PATIENCE = 120  # seconds for a command
TEMPORARY = re.compile(rf"tmp\.[0-9a-f]{{{2 * BYTES}}}\.")  # within names
KILLED = -9
NAMELESS = [f"error: {os.strerror(number)}" for number in FAULTS.values() if number > 0]


class Trial:
    """All calls of a situation.

    Args:
        name, situation: of `tests.faults.situations`.
        folder: where everything is done.
        share: of the calls that are tried, drawn by `seed`.
    """

    def __init__(self, name, situation, folder, share=1.0, seed=1):
        self.name, self.situation, self._folder = name, situation, folder
        self._share, self._draw = share, random.Random(f"{seed}-{name}")
        self.calls, self.kinds = 0, Counter()
        self.tried, self.ended = Counter(), Counter()
        self.broken, self._measured = [], {}

    def prepare(self):
        """Do what is needed once: the folder to begin with, and the whole result."""
        start, whole = self._folder / "start", self._folder / "whole"
        start.mkdir(parents=True)
        _check(run_in_fork(lambda: self.situation.prepare(start), PATIENCE))
        copy_folder(start, whole)
        report = tempfile.TemporaryFile()

        def run():
            watch(whole, report.fileno(), 0, 0, self.situation.sockets)
            code = run_situation(self.situation, whole)
            os.write(report.fileno(), b"%d" % count_calls())
            return code

        _check(run_in_fork(run, PATIENCE, whole))
        self.calls = int(os.pread(report.fileno(), 20, 0))
        self.expected = self.situation.read_result(whole)

    def make_cases(self):
        """Yields the cases: functions of a slot's name that give a generator, which
        yields each `Fork` that is to be waited for."""
        count = max(round(self._share * self.calls), 1)
        moments = sorted(self._draw.sample(range(1, self.calls + 1), count))
        for fault in FAULTS:
            for moment in moments:
                yield lambda slot, f=fault, m=moment: self._try(slot, f, m)

    def _try(self, slot, fault, moment):
        folder, situation = self._folder / slot, self.situation
        copy_folder(self._folder / "start", folder)
        if hasattr(situation, "forget"):
            situation.forget(folder)
        report = tempfile.TemporaryFile()

        def run():
            watch(folder, report.fileno(), moment, FAULTS[fault], situation.sockets)
            return run_situation(situation, folder)

        first = Fork(run, folder)
        yield first
        call = _hide_numbers(
            os.pread(report.fileno(), 8192, 0).decode().strip(), folder
        )
        broken = self._find_broken(fault, call, first, folder)
        if not broken:
            if first.code:
                self._measured[fault, moment] = situation.measure(folder)
            second = Fork(lambda: run_situation(situation, folder), folder)
            yield second
            broken = self._compare(second, folder)
            if broken:
                broken += f" (first: exit {first.code}: {first.errors[-300:]!r})"
        self.tried[fault] += 1
        self.ended[f"{fault}: exit {first.code}"] += 1
        self.kinds[call.split(" ")[0]] += 1
        if broken:
            self.broken.append(f"{self.name}, {fault} at {moment}, {call}: {broken}")
            print(self.broken[-1].rstrip(), flush=True)

    def _find_broken(self, fault, call, first, folder):
        """What a command did that it must not do; `None` if all is well."""
        lines = first.errors.splitlines()
        if fault == "kill":
            if call and first.code != KILLED:
                return f"exit {first.code}"
        elif first.code not in (0, 2):
            return f"exit {first.code}: {first.errors[-3000:]}"
        elif first.code == 0 and lines and not self.situation.tries_again:
            return f"succeeds with the lines {first.errors[-3000:]}"
        elif first.code == 2 and not (
            1 <= len(lines) <= self.situation.lines
            and all(line.startswith("error: ") for line in lines)
        ):
            return f"these lines: {first.errors[-3000:]}"
        elif any(line in NAMELESS for line in lines):
            return f"names no file: {first.errors}"
        return self.situation.find_loss(folder)

    def _compare(self, second, folder):
        if second.code or second.errors:
            return f"then exit {second.code}: {second.errors[-3000:]}"
        left = [
            p.name
            for p in folder.rglob("*")  # a cache can be removed at any time
            if TEMPORARY.match(p.name) and folder / "cache" not in p.parents
        ]
        if left:
            return f"then these are left: {', '.join(left)}"
        found = self.situation.read_result(folder)
        if found != self.expected:
            differ = [
                n
                for n in {**self.expected, **found}
                if found.get(n) != self.expected.get(n)
            ]
            return f"then another result: {', '.join(map(str, differ))}"
        return None

    def end(self):
        """Compare the cases with each other; returns what is recorded."""
        for fault in FAULTS:
            most = 0
            for (kind, moment), number in sorted(self._measured.items()):
                if kind == fault and number < most:
                    self.broken.append(
                        f"{self.name}, {fault} at {moment}: {number} after {most}"
                    )
                    print(self.broken[-1], flush=True)
                most = max(most, number) if kind == fault else most
        return {
            "calls": self.calls,
            "tried": dict(self.tried),
            "kinds": dict(sorted(self.kinds.items())),
            "ended": dict(sorted(self.ended.items())),
            "broken": len(self.broken),
        }


def run_cases(cases, slots):
    """Run the cases of `Trial.make_cases`, several at once."""
    cases, running = iter(cases), {}
    free = [f"slot-{n}" for n in range(slots)]
    while True:
        while free and (case := next(cases, None)):
            slot = free.pop()
            generator = case(slot)
            running[slot] = generator, next(generator)
        if not running:
            return
        for slot, (generator, fork) in list(running.items()):
            if fork.poll() is None and fork.seconds < PATIENCE:
                continue
            fork.kill_all()
            try:
                running[slot] = generator, next(generator)
            except StopIteration:
                del running[slot]
                free.append(slot)
        time.sleep(0.005)


def try_every_call(name, situation, folder, share, seed, slots):
    """Try a situation; returns what is recorded of it, and what was broken."""
    began = time.monotonic()
    trial = Trial(name, situation, folder / name, share, seed)
    trial.prepare()
    print(f"{name}: {trial.calls} calls", flush=True)
    run_cases(trial.make_cases(), slots)
    record = trial.end()
    shutil.rmtree(folder / name)
    return record | {"seconds": round(time.monotonic() - began, 1)}, trial.broken


def run_situation(situation, folder):
    """Runs the command of a situation; returns its exit code."""
    os.environ["DSA_CACHE"] = str(folder / "cache")
    return situation.run(folder)


def _check(fork):
    if fork.code:
        raise SystemExit(f"could not be prepared:\n{fork.output}\n{fork.errors}")


def _hide_numbers(call, folder):
    return TEMPORARY.sub("tmp.", call.replace(f"{os.path.realpath(folder)}/", ""))

"""Kills real trainings at random moments and compares how they end.

    python -m tests.support.random_kills [KILLS] [SEED]

One training runs through. Others are killed (kill -9) at moments drawn evenly from its
time, start-up included, resumed, killed again some, and end; all must end bit-equal.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from dsa.runs.run_folder import RunFolder
from tests.support.runs import write_experiment
from tests.support.stopped_runs import SCHEDULE, assert_equal_ends, train

KILLS_PER_RUN = 10


def kill_at_random_moments(folder, kills, seed):
    """Kill trainings `kills` times in all.

    Returns: how many kills met a running process.
    """
    draw = random.Random(seed)
    config = write_experiment(folder, training=SCHEDULE)
    whole = RunFolder(folder / "whole")
    began = time.perf_counter()
    assert train("never", "-", config, whole.path)[0] == 0
    seconds = time.perf_counter() - began
    met = 0
    while met < kills:
        stopped = RunFolder(folder / f"stopped-{met}")
        for _ in range(min(KILLS_PER_RUN, kills - met)):
            met += _killed(config, stopped, draw.uniform(0, seconds))
        code, error = train("never", "-", config, stopped.path, "--resume")
        assert code == 0, error
        assert_equal_ends(whole, stopped)
    return met


def _killed(config, run, after):
    """Whether a training was still running after so many seconds, and was killed."""
    process = subprocess.Popen(
        [
            *(sys.executable, "scripts/train.py", str(config), "--resume"),
            *("--data-root", str(config.parent), "--run", str(run.path)),
        ],
        env={**os.environ, "PYTHONPATH": "."},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    assert process.returncode == 0
    return False


def main(kills=50, seed=0):
    with tempfile.TemporaryDirectory() as folder:
        met = kill_at_random_moments(pathlib.Path(folder), int(kills), int(seed))
    print(f"{met} kills, every run ended as the one that was not killed")


if __name__ == "__main__":
    main(*sys.argv[1:])

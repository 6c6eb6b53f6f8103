"""Kills a training and a bulk job at random moments and compares the results.

    python -m tests.support.random_kills [KILLS] [SEED]        `make test-faults`

One process of each kind is undisturbed. Others are killed (`kill -9`) at moments drawn
uniformly from its duration, start-up included, and started again. Finally each must
reach the same result: bit-equal weights and states, vectors equal to 1e-6.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

import dsa
from dsa.runs.run_folder import RunFolder
from tests.support.runs import write_experiment
from tests.support.stopped_runs import SCHEDULE, assert_equal_ends, train

KILLS_PER_RESULT = 10
ROWS, SHARD_ROWS = 3000, 100


def kill_at_random_moments(folder, kills, seed):
    """Kills trainings, and resumes them.

    Returns: number of kills.
    """
    draw = random.Random(seed)
    config = write_experiment(folder, training=SCHEDULE)
    whole = RunFolder(folder / "whole")
    began = time.perf_counter()
    assert train("never", "-", config, whole.path)[0] == 0
    seconds = time.perf_counter() - began
    killed = 0
    while killed < kills:
        stopped = RunFolder(folder / f"stopped-{killed}")
        line = [
            *(sys.executable, "scripts/train.py", str(config), "--resume"),
            *("--data-root", str(config.parent), "--run", str(stopped.path)),
        ]
        for _ in range(min(KILLS_PER_RESULT, kills - killed)):
            killed += was_killed(line, draw.uniform(0, seconds))
        code, error = train("never", "-", config, stopped.path, "--resume")
        assert code == 0, error
        stopped.check_files()
        assert stopped.is_verified()
        assert_equal_ends(whole, stopped)
    return killed


def kill_bulk_work(folder, kills, seed):
    """Kills `dsa encode`, and starts it again.

    Returns: number of kills.
    """
    draw, rows = random.Random(seed), folder / "rows.txt"
    rows.write_text("".join(f"a man number {n}\n" for n in range(ROWS)))

    def encode(out):
        options = ["--file", str(rows), "--out", str(out)]
        command = [sys.executable, "-m", "dsa.commands", "encode", "mini", *options]
        return [*command, "--shard-rows", str(SHARD_ROWS)]

    began = time.perf_counter()
    run(encode(folder / "whole"))
    seconds = time.perf_counter() - began
    expected = dsa.open_vectors(folder / "whole")
    assert len(expected) == ROWS
    killed = 0
    while killed < kills:
        out = folder / f"stopped-{killed}"
        for _ in range(min(KILLS_PER_RESULT, kills - killed)):
            killed += was_killed(encode(out), draw.uniform(0, seconds))
        run(encode(out))
        np.testing.assert_allclose(dsa.open_vectors(out), expected, atol=1e-6)
    return killed


def was_killed(line, seconds):
    """Kills a command after some seconds; returns `False` if it has ended before."""
    process = start(line)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert process.returncode == 0, output
    return False


def run(line):
    process = start(line)
    output, _ = process.communicate()
    assert process.returncode == 0, output


def start(line):
    return subprocess.Popen(
        line,
        env={**os.environ, "PYTHONPATH": "."},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def main(kills=50, seed=0):
    for kill in (kill_at_random_moments, kill_bulk_work):
        with tempfile.TemporaryDirectory() as folder:
            killed = kill(pathlib.Path(folder), int(kills), int(seed))
        print(f"{kill.__name__}: {killed} kills, the results are equal", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Tests that jobs finish after a lost node, a killed worker and a killed driver.

    make test-cluster TIMES=20

repeats the test of small jobs 20 times; `REAL_TIMES=3` repeats the test of trainings.
"""

import json
import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-cluster")

from dsa.runs.run_folder import RunFolder
from dsa.system.folder_lock import LOCK_FILE
from tests.support.processes import find_parent, is_alive, wait_for
from tests.support.small_jobs import count_starts, read_processes, start_driver
from tests.support.stopped_runs import assert_equal_ends, read_run_step

TIMES = int(os.environ.get("TIMES") or 1)
REAL_TIMES = int(os.environ.get("REAL_TIMES") or 1)
SEEDS = ("13", "14", "15", "16")
STEPS = 1200  # enough for a restarted process to overlap with the other processes
SWEEP = [
    *("configs/mini/dsa.yaml", "--seeds", *SEEDS, "--data-root", "data"),
    *("--set", f"training.steps={STEPS}", "training.evaluate_every=60"),
]


@pytest.mark.parametrize("time", range(TIMES))
def test_small_jobs_are_done_once_after_kills(cluster, nodes, tmp_path, time):
    def alive():
        return [n for n in read_processes(tmp_path) if is_alive(n)]

    def starts():
        return len(read_processes(tmp_path))

    arguments = (cluster.address, tmp_path, "first=done", "a=wait", "b=wait", "c=wait")
    driver = start_driver(*arguments)
    wait_for(lambda: starts() == 3 and len(alive()) == 2)
    killed = alive()[0]
    os.kill(
        find_parent(killed), signal.SIGKILL
    )  # the worker of Ray; its job ends with it
    wait_for(lambda: starts() == 4 and len(alive()) == 2 and not is_alive(killed))
    cluster.remove_node(nodes[time % 2], allow_graceful=False)
    wait_for(lambda: len(alive()) == 1)
    cluster.add_node(num_cpus=1, node_ip_address="127.0.0.5")
    wait_for(lambda: starts() == 5 and len(alive()) == 2)
    driver.kill()
    driver.communicate()
    wait_for(lambda: not alive())
    (tmp_path / "go").write_text("")
    driver = start_driver(*arguments)
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    # two interrupted jobs and the waiting job
    assert starts() == 5 + 3 and count_starts(tmp_path, "first") == 1
    assert all((tmp_path / name).exists() for name in ("first", "a", "b", "c"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Returns the folder of four undisturbed runs, with one thread each."""
    folder = tmp_path_factory.mktemp("undisturbed")
    sweep = open_sweep(folder, "--workers", "2", "--cores", "1")
    output, _ = sweep.communicate()
    assert sweep.returncode == 0, output
    return folder


@pytest.fixture
def start_sweep():
    """Returns `open_sweep`; its sweeps end with the test."""
    started = []

    def start(*arguments):
        started.append(open_sweep(*arguments))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("time", range(REAL_TIMES))
def test_trainings_are_bit_equal_after_kills(
    cluster, nodes, tmp_path, undisturbed, start_sweep, time
):
    how = ("--executor", "ray", "--address", cluster.address)
    driver = start_sweep(tmp_path, *how)
    killed, _ = wait_for(lambda: find_two_in_training(tmp_path))
    os.kill(find_parent(read_process(killed)), signal.SIGKILL)

    # both nodes train again, from the last state
    removed = wait_for(lambda: find_two_in_training(tmp_path, STEPS // 4))
    processes = list(map(read_process, removed))
    cluster.remove_node(nodes[time % 2], allow_graceful=False)
    wait_for(lambda: not all(map(is_alive, processes)))
    cluster.add_node(num_cpus=1, node_ip_address="127.0.0.5")

    stopped = wait_for(lambda: find_two_in_training(tmp_path, STEPS // 2))
    processes = list(map(read_process, stopped))
    finished = [run for run in list_runs(tmp_path) if read_run_step(run) == STEPS]
    driver.kill()
    driver.communicate()
    wait_for(lambda: not any(map(is_alive, processes)))
    starts = count_trainings(tmp_path)

    driver = start_sweep(tmp_path, *how)
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    runs, whole = list_runs(tmp_path), list_runs(undisturbed)
    assert len(runs) == len(SEEDS)
    for run, other in zip(runs, whole, strict=True):
        assert run.path.relative_to(tmp_path) == other.path.relative_to(undisturbed)
        assert_equal_ends(other, run, 50)
    # only stopped runs are restarted
    assert count_trainings(undisturbed) == len(SEEDS)
    assert count_trainings(tmp_path) - starts == len(SEEDS) - len(finished)
    assert count_trainings(tmp_path) == len(SEEDS) + 1 + 1 + 2


def open_sweep(folder, *how):
    """Starts a sweep; returns its `subprocess.Popen`."""
    line = [sys.executable, "-m", "dsa.commands", "sweep", *SWEEP]
    return subprocess.Popen(
        [*line, "--runs", str(folder), *how],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def list_runs(folder):
    """Returns the runs of a sweep, in the order of their seeds."""
    return [RunFolder(path.parent) for path in sorted(folder.rglob("config.yaml"))]


def find_two_in_training(folder, begin=1):
    """Returns two runs in training whose last state is of step `begin` or later, or
    `None`."""
    in_training = [
        run
        for run in list_runs(folder)
        if begin <= read_run_step(run) < STEPS and is_alive(read_process(run))
    ]
    return in_training if len(in_training) == 2 else None


def read_process(run):
    """Returns the id of the process that holds a run; 0 for none."""
    try:
        return json.loads((run.path / LOCK_FILE).read_text())["process"]
    except (FileNotFoundError, ValueError):
        return 0


def count_trainings(folder):
    """Returns the number of started trainings: lines with commands in the logs."""
    logs = (folder / "logs").glob("*.log")
    lines = [line for log in logs for line in log.read_text().splitlines()]
    return sum(line.startswith("$ ") for line in lines)

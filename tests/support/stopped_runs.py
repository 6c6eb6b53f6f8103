"""Runs trainings with interruptions, and compares their results."""

import csv
import json

import h5py
import numpy as np

from tests.support.fork_server import run_forked

KILLED, INTERRUPTED, USER_ERROR = -9, 130, 2

SCHEDULE = {
    "evaluate_every": 3,
    "schedule": {"name": "halve_on_plateau"},
    "early_stopping": 9,
    "clip_norm": 1.0,
}


def train(moment, when, config, run, *arguments):
    """Runs interrupted_training.py; returns exit code and standard error."""
    data = ("--data-root", config.parent, "--run", run)
    command = (moment, when, config, *data, *arguments)
    return run_forked("tests.support.interrupted_training", command)


def read_run_arrays(run):
    """Returns the weights and the last training state of a run, as bytes by name."""
    arrays = {}
    with h5py.File(run.weights) as file:
        file.visititems(
            lambda name, item: (
                arrays.update({name: np.array(item).tobytes()})
                if isinstance(item, h5py.Dataset)
                else None
            )
        )
    with np.load(run.state) as state:
        names = set(state) - {"record", "checksum"}  # these contain times
        arrays |= {name: state[name].tobytes() for name in names}
    return arrays


def read_run_history(run):
    """Returns the history without times."""
    with open(run.path / "history.csv", newline="") as file:
        return [
            {name: value for name, value in row.items() if "seconds" not in name}
            for row in csv.DictReader(file)
        ]


def read_run_step(run):
    """Returns the step of the last training state; 0 without a state."""
    if not run.state.exists():
        return 0
    with np.load(run.state) as state:
        return json.loads(state["record"].tobytes())["step"]


def assert_equal_ends(whole, stopped, arrays=100):
    """Asserts that two runs have the same history, weights and state, bit for bit.

    Args:
        whole, stopped: the two runs.
        arrays: lower bound of the number of arrays, as a check of the comparison.
    """
    assert read_run_history(stopped) == read_run_history(whole)
    expected, actual = read_run_arrays(whole), read_run_arrays(stopped)
    assert expected.keys() == actual.keys() and len(expected) > arrays
    assert [name for name in expected if expected[name] != actual[name]] == []
    assert not list(stopped.path.rglob("tmp.*"))

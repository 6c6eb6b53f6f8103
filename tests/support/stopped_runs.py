"""Trainings that are stopped from outside, and what they leave, to be compared."""

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
    """Run interrupted_training.py; returns exit code and standard error."""
    data = ("--data-root", config.parent, "--run", run)
    what = (moment, when, config, *data, *arguments)
    return run_forked("tests.support.interrupted_training", what)


def arrays_of(run):
    """Selected weights and last training state of a run, as bytes by name."""
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
        names = set(state) - {"record", "checksum"}  # they differ by times
        arrays |= {name: state[name].tobytes() for name in names}
    return arrays


def history_of(run):
    """The history without times."""
    with open(run.path / "history.csv", newline="") as file:
        return [
            {name: value for name, value in row.items() if "seconds" not in name}
            for row in csv.DictReader(file)
        ]


def step_of(run):
    """The step of the last training state, 0 for none."""
    if not run.state.exists():
        return 0
    with np.load(run.state) as state:
        return json.loads(state["record"].tobytes())["step"]


def assert_equal_ends(whole, stopped, arrays=100):
    """That two runs have the same history, weights and state, bit for bit; more than
    so many `arrays`."""
    assert history_of(stopped) == history_of(whole)
    expected, found = arrays_of(whole), arrays_of(stopped)
    assert expected.keys() == found.keys() and len(expected) > arrays
    assert [name for name in expected if expected[name] != found[name]] == []
    assert not list(stopped.path.rglob("tmp.*"))

import csv
import json
import os
import subprocess
import sys

import h5py
import numpy as np

from dsa.run_folder import RunFolder
from tests.runs import write_experiment

KILLED, INTERRUPTED, USER_ERROR = -9, 130, 2


def train(moment, when, config, run, *arguments):
    """Run tests/interrupted_training.py; returns exit code and standard error."""
    done = subprocess.run(
        [
            *(sys.executable, "tests/interrupted_training.py", moment, str(when)),
            *(str(config), "--data-root", str(config.parent), "--run", str(run)),
            *arguments,
        ],
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


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
        arrays |= {name: state[name].tobytes() for name in state if name != "record"}
    return arrays


def history_of(run):
    """The history without times."""
    with open(run.path / "history.csv", newline="") as file:
        return [
            {name: value for name, value in row.items() if "seconds" not in name}
            for row in csv.DictReader(file)
        ]


SCHEDULE = {
    "evaluate_every": 3,
    "schedule": {"name": "halve_on_plateau"},
    "early_stopping": 9,
    "clip_norm": 1.0,
}


def step_of(run):
    """The step of the last training state, 0 for none."""
    if not run.state.exists():
        return 0
    with np.load(run.state) as state:
        return json.loads(state["record"].tobytes())["step"]


def test_a_run_stopped_at_any_moment_ends_as_if_it_had_never_stopped(tmp_path):
    config = write_experiment(tmp_path, training=SCHEDULE)
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    assert train("never", "-", config, whole.path)[0] == 0
    assert [row["step"] for row in history_of(whole)] == [
        "3",
        "6",
        "9",
        "12",
        "15",
        "16",
    ]

    for moment, when, code, step in [
        ("kill-step", 2, KILLED, 0),  # before the first evaluation
        ("kill-write", "state.npz", KILLED, 0),
        ("interrupt", 4, INTERRUPTED, 3),
        ("kill-rename", "history.csv", KILLED, 3),  # new weights, old state
        ("full-disk", 1, USER_ERROR, 3),
        ("kill-step", 5, KILLED, 6),
    ]:
        before = arrays_of(stopped) if moment == "full-disk" else None
        found, error = train(moment, when, config, stopped.path, "--resume")
        assert found == code, error
        assert step_of(stopped) == step, moment
        if moment == "full-disk":
            assert "File too large" in error and "Traceback" not in error
            assert arrays_of(stopped) == before
            assert not list(stopped.path.rglob("tmp.*"))
    assert train("never", "-", config, stopped.path, "--resume")[0] == 0

    assert history_of(stopped) == history_of(whole)
    expected, found = arrays_of(whole), arrays_of(stopped)
    assert expected.keys() == found.keys() and len(expected) > 100
    assert [name for name in expected if expected[name] != found[name]] == []
    assert not list(stopped.path.rglob("tmp.*"))

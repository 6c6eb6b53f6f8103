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
FILES_BEFORE_TRAINING = 2  # vocabulary.txt, environment.json
FILES_AN_EVALUATION = 4  # weights (where they are better), history, state, environment


def train(moment, number, config, run, *arguments):
    """Run tests/interrupted_training.py; returns exit code and standard error."""
    done = subprocess.run(
        [
            *(sys.executable, "tests/interrupted_training.py", moment, str(number)),
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


def test_a_run_killed_at_any_moment_ends_as_if_it_had_never_stopped(tmp_path):
    config = write_experiment(tmp_path, training=SCHEDULE)
    whole, killed = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "killed")
    assert train("never", 0, config, whole.path)[0] == 0

    for moment, number, code in [
        ("kill-step", 2, KILLED),  # before the first evaluation
        ("kill-write", FILES_BEFORE_TRAINING + 3, KILLED),  # the first state, half
        ("interrupt", 4, INTERRUPTED),  # step 4, behind the first evaluation
        ("kill-rename", 1 + FILES_AN_EVALUATION + 2, KILLED),  # between the files
        ("kill-step", 5, KILLED),
    ]:
        found, error = train(moment, number, config, killed.path, "--resume")
        assert found == code, error
    assert train("never", 0, config, killed.path, "--resume")[0] == 0

    assert history_of(killed) == history_of(whole)
    assert [row["step"] for row in history_of(whole)] == [
        "3",
        "6",
        "9",
        "12",
        "15",
        "16",
    ]
    expected, found = arrays_of(whole), arrays_of(killed)
    assert expected.keys() == found.keys() and len(expected) > 100
    assert [name for name in expected if expected[name] != found[name]] == []
    assert not list(killed.path.rglob("tmp.*"))


def test_a_full_disk_leaves_the_previous_checkpoint_and_a_run_that_resumes(tmp_path):
    config = write_experiment(tmp_path, training=SCHEDULE)
    run = RunFolder(tmp_path / "run")
    code, error = train("full-disk", 4, config, run.path)
    assert code == USER_ERROR
    assert "File too large" in error and "Traceback" not in error
    with np.load(run.state) as state:
        assert json.loads(state["record"].tobytes())["step"] == 3
    before = arrays_of(run)
    assert not list(run.path.rglob("tmp.*"))
    code, error = train("kill-step", 1, config, run.path, "--resume")
    assert code == KILLED, error
    assert arrays_of(run) == before
    assert train("never", 0, config, run.path, "--resume")[0] == 0
    assert history_of(run)[-1]["step"] == "16"

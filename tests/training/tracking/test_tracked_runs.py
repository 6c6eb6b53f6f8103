"""Trainings with a tracker."""

import pytest

from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import read_history
from tests.support.event_files import read_scalars
from tests.support.runs import SMALL_MODEL, write_experiment
from tests.support.stopped_runs import (
    KILLED,
    SCHEDULE,
    assert_equal_ends,
    read_run_step,
    train,
)

TRACKED = ("--set", "training.track=[tensorboard]")


def assert_mirrored(run):
    """That TensorBoard has the numbers of the history, each once."""
    history, scalars = read_history(run), read_scalars(run.path / "tensorboard")
    assert len(history) > 1
    for name in set(history[0]) - {"step"}:
        points = [
            (row.get("step", row["evaluation"]), pytest.approx(row[name]))
            for row in history
            if row[name] is not None
        ]
        assert scalars[name] == points, name


def test_a_finished_run_gets_the_curve_that_it_lacks(finished, run_copy, scripts):
    arguments = [str(finished / "small.yaml"), "--data-root", str(finished)]
    arguments += ["--run", str(run_copy), "--resume", *TRACKED]
    assert scripts.train.main(arguments) == 0
    assert_mirrored(RunFolder(run_copy))


def test_a_model_that_is_fitted_at_once_is_tracked_too(tmp_path, scripts):
    config = write_experiment(tmp_path, model={"name": "features"})
    arguments = [str(config), "--data-root", str(tmp_path)]
    arguments += ["--run", str(tmp_path / "run"), *TRACKED]
    assert scripts.train.main(arguments) == 0
    assert_mirrored(RunFolder(tmp_path / "run"))


@pytest.mark.slow
def test_the_curve_of_a_killed_run_has_every_step_once(tmp_path):
    config = write_experiment(tmp_path, model=SMALL_MODEL, training=SCHEDULE)
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    assert train("never", "-", config, whole.path)[0] == 0
    for moment, when, step in [
        ("kill-rename", "tracking.json", 3),  # after the state, before the tracker
        ("kill-rename", "tracking.json", 6),
        ("kill-step", 4, 9),
        ("kill-rename", "tracking.json", 12),  # after the tracker, before its note
    ]:
        code, error = train(moment, when, config, stopped.path, "--resume", *TRACKED)
        assert (code, read_run_step(stopped)) == (KILLED, step), error
    assert train("never", "-", config, stopped.path, "--resume", *TRACKED)[0] == 0
    assert_mirrored(stopped)
    # trackers change nothing of the training
    assert_equal_ends(whole, stopped, arrays=10)

"""Runs that end before their first evaluation."""

import shutil

import pytest

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.folder_lock import LOCK_FILE
from dsa.training.run_state import open_run
from tests.support.runs import SETTINGS

FIRST = Experiment.model_validate(SETTINGS)
CORRECTED = Experiment.model_validate({**SETTINGS, "seed": 4})


@pytest.fixture
def run(tmp_path):
    return RunFolder(tmp_path / "run")


def kill_at_the_start(run, tmp_path, more=()):
    """The files of a run that was killed while its model was built."""
    with open_run(FIRST, RunFolder(tmp_path / "other")):
        for name in more:
            (tmp_path / "other" / name).write_text("begun")
        shutil.copytree(tmp_path / "other", run.path)
    (run.path / LOCK_FILE).unlink()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_a_run_that_is_stopped_at_its_start_leaves_nothing(run, error):
    with pytest.raises(error):
        with open_run(FIRST, run):
            run.write("vocabulary.txt", "a\n")
            raise error
    assert not run.path.exists()


@pytest.mark.parametrize("more", [(), ("log.txt", "vocabulary.txt")])
@pytest.mark.parametrize("resume", [False, True])
def test_what_a_killed_run_has_left_blocks_no_other(run, tmp_path, resume, more):
    kill_at_the_start(run, tmp_path, more)
    with open_run(CORRECTED, run, resume):
        assert run.experiment() == CORRECTED
        assert not (run.path / "vocabulary.txt").exists()


@pytest.mark.parametrize(
    "kept",
    ["best.weights.h5", "state/state.npz", "history.csv", "metrics.json", "notes.txt"],
)
def test_a_run_with_results_or_other_files_is_not_replaced(run, tmp_path, kept):
    kill_at_the_start(run, tmp_path)
    (run.path / kept).write_text("worth something")
    for resume, message in ((False, "already exists"), (True, "different settings")):
        with pytest.raises(InputError, match=message):
            with open_run(CORRECTED, run, resume):
                pass
    assert (run.path / kept).read_text() == "worth something"
    assert run.experiment() == FIRST


def test_a_folder_with_a_users_config_is_no_run(run):
    run.path.mkdir()
    (run.path / "config.yaml").write_text("seed: 3\n")
    with pytest.raises(InputError, match="already exists"):
        with open_run(FIRST, run, resume=False):
            pass
    assert (run.path / "config.yaml").read_text() == "seed: 3\n"


def test_a_resumed_run_without_anything_to_resume_is_logged(run, caplog):
    caplog.set_level("INFO", "dsa")
    with open_run(FIRST, run, resume=True):
        pass
    line = f"{run.path}: nothing to resume, training starts at the first step"
    assert line in caplog.messages
    caplog.clear()
    with open_run(FIRST, run, resume=True):  # it has a config, and no state
        pass
    assert line in caplog.messages


def test_a_linear_model_that_was_fitted_stays(run):
    """Ctrl-C while its trackers end: it has no training state."""
    with pytest.raises(KeyboardInterrupt):
        with open_run(FIRST, run):
            run.write("features.npz", "fitted")
            raise KeyboardInterrupt
    assert (run.path / "features.npz").exists() and (run.path / "config.yaml").exists()

"""What a run that ends before its first evaluation leaves for the next one."""

import pytest

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.run_folder import RunFolder
from dsa.training.open_run import open_run
from tests.support.runs import SETTINGS

FIRST = Experiment.model_validate(SETTINGS)
CORRECTED = Experiment.model_validate({**SETTINGS, "seed": 4})


@pytest.fixture
def run(tmp_path):
    return RunFolder(tmp_path / "run")


def kill_at_the_start(run, tmp_path):
    """The files of a run that was killed while its model was built."""
    with open_run(FIRST, RunFolder(tmp_path / "other")):
        config = (tmp_path / "other" / "config.yaml").read_text()
    (run.path / "state").mkdir(parents=True)
    for name in ("log.txt", "vocabulary.txt", "environment.json"):
        (run.path / name).write_text("begun")
    (run.path / "config.yaml").write_text(config)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_a_run_that_is_stopped_at_its_start_leaves_nothing(run, error):
    with pytest.raises(error):
        with open_run(FIRST, run):
            run.write("vocabulary.txt", "a\n")
            raise error
    assert not run.path.exists()


@pytest.mark.parametrize("resume", [False, True])
def test_what_a_killed_run_has_left_blocks_no_other(run, tmp_path, resume):
    kill_at_the_start(run, tmp_path)
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
    for resume, message in ((False, "is there already"), (True, "other settings")):
        with pytest.raises(InputError, match=message):
            with open_run(CORRECTED, run, resume):
                pass
    assert (run.path / kept).read_text() == "worth something"
    assert run.experiment() == FIRST


def test_a_folder_with_a_users_config_is_no_run(run):
    run.path.mkdir()
    (run.path / "config.yaml").write_text("seed: 3\n")
    with pytest.raises(InputError, match="is there already"):
        with open_run(FIRST, run, resume=False):
            pass
    assert (run.path / "config.yaml").read_text() == "seed: 3\n"

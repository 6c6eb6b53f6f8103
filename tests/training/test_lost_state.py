"""A run without its training state, as a hub gives it, is not trained over."""

import json
import shutil

import pytest

from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.training.run_state import open_run
from dsa.training.train import train
from dsa.training.training_corpora import find_training_files


@pytest.fixture
def run(run_copy):
    shutil.rmtree(run_copy / "state")
    return RunFolder(run_copy)


def read_content(run):
    """The files of a run but its log."""
    files = (file for file in run.path.rglob("*") if file.is_file())
    return {file: file.read_bytes() for file in files if file != run.log}


def test_a_finished_run_stays_as_it_is(run, finished):
    before = read_content(run)
    with open_run(run.experiment(), run) as state:
        files = find_training_files(run.experiment(), finished, is_new=False)
        train(run.experiment(), run, state, files)
    assert read_content(run) == before


def test_a_run_that_has_more_to_train_is_refused(run, finished):
    facts = run.environment()
    facts.update(steps=facts["steps"] - 1, stopped=False)
    (run.path / "environment.json").write_text(json.dumps(facts))
    before = read_content(run)
    with pytest.raises(InputError, match="its training state is missing"):
        with open_run(run.experiment(), run):
            pass
    assert read_content(run) == before

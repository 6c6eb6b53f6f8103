"""What a training says about missing files before it reads the others."""

import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.training import training_data
from tests.support.runs import write_experiment, write_frozen_experiment


@pytest.mark.parametrize("name", ["train.jsonl", "dev.jsonl", "vectors.txt"])
def test_a_missing_file_is_named_before_the_corpus_is_read(name, tmp_path, monkeypatch):
    experiment = load_experiment(write_frozen_experiment(tmp_path))
    (tmp_path / name).unlink()
    monkeypatch.setattr(training_data, "prepare", None)
    with pytest.raises(InputError, match=f"file not found: .*{name}"):
        training_data.build_training_data(experiment, tmp_path)


def test_so_is_the_corpus_that_is_mixed_in(tmp_path, monkeypatch):
    mix = {"path": "elsewhere.jsonl", "share": 0.5}
    experiment = load_experiment(write_experiment(tmp_path, data={"mix": mix}))
    monkeypatch.setattr(training_data, "prepare", None)
    with pytest.raises(InputError, match="file not found: .*elsewhere.jsonl"):
        training_data.build_training_data(experiment, tmp_path)

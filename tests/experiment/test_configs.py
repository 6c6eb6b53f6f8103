import pathlib

import pytest

from dsa.data.corpora.catalogue import corpus_named
from dsa.experiment.yaml_file import load_experiment
from dsa.models.registry import build_model

CONFIGS = sorted(map(str, pathlib.Path("configs").rglob("*.yaml")))


@pytest.mark.parametrize("path", CONFIGS)
def test_every_config_loads(path):
    experiment = load_experiment(path)
    assert experiment.family.accepts(experiment.task)


@pytest.mark.slow
@pytest.mark.parametrize("path", CONFIGS)
def test_every_config_loads_and_builds(path):
    experiment = load_experiment(path)
    if not experiment.family.is_network:
        return
    model = build_model(experiment, vocabulary_size=5)
    assert model.built and model.trainable_variables
    assert model.logits.units == corpus_named(experiment.data.corpus).task.outputs


@pytest.mark.parametrize("path", CONFIGS)
def test_every_config_says_how_it_is_run(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    header = [line for line in text.splitlines() if line.startswith("#")]
    assert text.startswith("#")
    assert any(f"python scripts/train.py {path}" in line for line in header)

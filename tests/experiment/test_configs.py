import pathlib

import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.memory import estimate_bytes
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
    weights = sum(np.prod(weight.shape) for weight in model.weights)
    assert estimate_bytes(experiment, vocabulary_size=5) <= 4 * weights
    batch = {name: np.ones((2, 3), np.int32) for name in experiment.inputs}
    if experiment.feature_count:
        batch["features"] = np.ones((2, experiment.feature_count), np.float32)
    assert model(batch, training=False).shape == (2, experiment.task.outputs)


@pytest.mark.parametrize("path", CONFIGS)
def test_every_config_says_how_it_is_run(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    header = [line for line in text.splitlines() if line.startswith("#")]
    assert text.startswith("#")
    commands = (f"python scripts/train.py {path}", f"dsa train {path}")
    assert any(command in line for line in header for command in commands)


def test_the_earlier_form_of_a_tracker_decides_no_more_than_the_new_one():
    path = "configs/mini/dsa.yaml"
    plain, earlier, new = (
        load_experiment(path, settings)
        for settings in (
            {},
            {"training.tensorboard": True},
            {"training.track": ["tensorboard"]},
        )
    )
    settings = plain.decisive_settings()
    assert earlier.decisive_settings() == new.decisive_settings() == settings
    assert "tensorboard" in settings["training"]  # it is in the names of runs
    assert earlier.training.trackers == new.training.trackers == ["tensorboard"]
    assert earlier.without_trackers().training.trackers == []

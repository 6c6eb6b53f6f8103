import pathlib

import numpy as np
import pytest

from dsa.experiment.config_files import list_config_files
from dsa.experiment.earlier_config import convert_earlier_settings
from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model

CONFIGS = list(list_config_files("configs"))
IN_CI = [  # their sizes are checked; the other configs differ in settings or data
    "configs/mini/dsa.yaml",
    "configs/msrp/abcnn3_two.yaml",
    "configs/sick/dsa.yaml",
    "configs/sick_entailment/bcnn.yaml",
    "configs/snli/aesim.yaml",
    "configs/sst/bialstm.yaml",
    "configs/wikiqa/abcnn3_two.yaml",
]
BUILT = [
    pytest.param(
        path,
        marks=pytest.mark.slow if str(path) in IN_CI else pytest.mark.exhaustive,
    )
    for path in CONFIGS
]
NEEDS_GPU = {"training.require_gpu": True}


@pytest.mark.parametrize("path", CONFIGS)
def test_every_config_loads(path):
    experiment = load_experiment(path)
    assert experiment.family.accepts(experiment.task)


@pytest.mark.usefixtures("quick_weights")
@pytest.mark.parametrize("path", BUILT)
def test_every_config_loads_and_builds(path):
    experiment = load_experiment(path)
    if not experiment.family.has_word_vectors:
        return
    model = build_model(experiment, vocabulary_size=5)
    assert model.built and model.trainable_variables
    batch = {name: np.ones((2, 3), np.int32) for name in experiment.inputs}
    if experiment.feature_count:
        batch["features"] = np.ones((2, experiment.feature_count), np.float32)
    assert model(batch, training=False).shape == (2, experiment.task.outputs)


@pytest.mark.parametrize("path", CONFIGS)
def test_every_config_begins_with_its_command(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    header = [line for line in text.splitlines() if line.startswith("#")]
    assert text.startswith("#")
    commands = (f"python scripts/train.py {path}", f"dsa train {path}")
    assert any(command in line for line in header for command in commands)


def test_a_tracker_and_a_required_gpu_do_not_change_the_run_path():
    path = "configs/mini/dsa.yaml"
    plain, tracked = (
        load_experiment(path, settings)
        for settings in ({}, {"training.track": ["tensorboard"], **NEEDS_GPU})
    )
    assert tracked.result_settings() == plain.result_settings()


@pytest.mark.parametrize("value", [False, True])
def test_a_removed_setting_of_an_earlier_run_must_have_its_default(value):
    settings = load_experiment("configs/mini/dsa.yaml").model_dump(mode="json")
    earlier = {**settings, "training": {**settings["training"], "tensorboard": value}}
    assert (convert_earlier_settings(earlier) == settings) is not value

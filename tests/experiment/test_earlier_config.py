"""Tests of run folders and configs with settings of earlier versions."""

import pytest
import yaml

from dsa.errors import InputError
from dsa.experiment.earlier_config import (
    check_no_retired_settings,
    convert_earlier_settings,
)
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder

EARLIER = {"learn_dev": False, "phrases": False, "oversample": 1}
EARLIER["train_questions"] = "all"


def resolve(tmp_path, config, **data):
    """Returns the resolved config of an experiment in the format of version 0.1.0."""
    settings = yaml.safe_load(load_experiment(config).to_yaml())
    del settings["data"]["options"], settings["data"]["train_on_dev"]
    settings["data"] |= {**EARLIER, **data}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(settings))
    return tmp_path / "config.yaml"


@pytest.mark.parametrize(
    ("config", "data", "options"),
    [
        ("configs/mini/dsa.yaml", {}, None),
        (
            "configs/sst/dsa.yaml",
            {"phrases": True, "oversample": 4},
            {"phrases": True, "oversample": 4},
        ),
        ("configs/sst/dsa.yaml", {}, {"phrases": False, "oversample": 1}),
        (
            "configs/wikiqa/bcnn.yaml",
            {"train_questions": "answered"},
            {"train_questions": "answered"},
        ),
    ],
)
def test_the_options_of_a_run_move_to_their_corpus(tmp_path, config, data, options):
    path = resolve(tmp_path, config, **data)
    found = RunFolder(path.parent).experiment().model_dump(mode="json")
    expected = load_experiment(config).model_dump(mode="json")
    expected["data"]["options"] = options
    assert found == expected


def test_the_schema_reports_a_damaged_section(tmp_path):
    """Sections that are empty or have another type."""
    path = resolve(tmp_path, "configs/sst/dsa.yaml", phrases=True, options=None)
    settings = yaml.safe_load(path.read_text())
    settings["training"] |= {"tensorboard": True, "track": None}
    path.write_text(yaml.safe_dump(settings))
    experiment = RunFolder(tmp_path).experiment()
    assert experiment.data.options.phrases and experiment.training.track
    for section, key, message in (
        ("data", "options", "'data.options': .* Received: 3"),
        ("training", "track", "'training.track': .* Received: 3"),
    ):
        damaged = {**settings, section: {**settings[section], key: 3}}
        path.write_text(yaml.safe_dump(damaged))
        with pytest.raises(InputError, match=message):
            RunFolder(tmp_path).experiment()


@pytest.mark.parametrize("key", ["phrases", "oversample", "train_questions"])
def test_the_error_for_an_earlier_key_names_the_new_key(key):
    with pytest.raises(InputError) as error:
        load_experiment("configs/mini/dsa.yaml", {f"data.{key}": 1})
    expected = f"unknown key 'data.{key}'. It was renamed to 'data.options.{key}'"
    assert str(error.value).endswith(expected)


def test_invalid_options_are_errors_like_other_settings():
    for overrides, message in (
        (
            {"data.options.phrase": True},
            "options.phrase'. Did you mean 'phrases'",
        ),
        ({"data.options.phrases": "yes"}, "'data.options.phrases': .* valid boolean"),
        ({"data.options": 3}, "'data.options': .* Received: 3"),
        ({"data.options.phrases": False}, "'data.options.oversample' requires"),
    ):
        with pytest.raises(InputError, match=message):
            load_experiment("configs/sst/dsa.yaml", overrides)


@pytest.mark.parametrize("value", [1, 10])
def test_a_run_with_a_retired_setting_without_effect_is_loaded_and_resumed(
    tmp_path, value
):
    run = RunFolder(tmp_path)
    settings = yaml.safe_load(load_experiment("configs/mini/dsa.yaml").to_yaml())
    run.write("config.yaml", yaml.safe_dump(settings))
    expected = run.experiment()
    settings["training"]["steps_at_once"] = value
    run.write("config.yaml", yaml.safe_dump(settings))
    assert run.experiment() == expected
    text = run.read("config.yaml")
    if value == 1:
        check_no_retired_settings(text, run)
        return
    with pytest.raises(InputError, match="'training.steps_at_once: 10' is no longer"):
        check_no_retired_settings(text, run)


def test_the_error_for_a_retired_setting_names_it():
    overrides = {"training.steps_at_once": 10}
    with pytest.raises(InputError, match="'training.steps_at_once' is no longer"):
        load_experiment("configs/mini/dsa.yaml", overrides)


def test_settings_without_effect_of_earlier_runs_are_removed():
    settings = {
        "training": {"optimizer": {"name": "sgd", "nesterov": True, "momentum": 0.0}},
        "features": {"names": [], "standardize": True},
        "model": {"name": "dsa"},
    }
    converted = convert_earlier_settings(settings)
    assert converted["training"]["optimizer"] == {"name": "sgd", "momentum": 0.0}
    assert converted["features"] == {"names": []}
    features = {"names": ["lengths"], "standardize": True}
    settings = {"features": dict(features), "model": {}}
    assert convert_earlier_settings(settings)["features"] == features

"""Writes configs of three models for a user's data."""

import shlex
from pathlib import Path
from typing import Any

import yaml

from dsa.experiment.yaml_file import make_run_path, validate_settings
from dsa.hub.releases import fetch_release
from dsa.new_data.roles import SENTENCE
from dsa.runs.run_folder import RunFolder

SEED = 13
VECTOR_FILE = "vectors.50d.txt"  # file with the word vectors of the release
START_RELEASE = "snli"
FINE_TUNED = "fine_tuned"
TRAINING = {"batch_size": 32, "epochs": 10, "early_stopping": 3}
PRETRAINED = {"path": VECTOR_FILE, "units": 50, "trainable": False}


def choose_models(data: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Returns `{name: (description, config sections)}` of the models for a data set,
    the simplest model first.

    The first model is a linear model for labelled pairs, and SWEM for single sentences
    or scores. The others are a Bi-LSTM and the fine-tuned release `START_RELEASE`.
    Their mean accuracies were less than a point below the best after training on 500
    and 2,000 pairs (results/small_data). Single sentences and scores were not measured.

    Args:
        data: the section `data` of the configs.
    """
    classifier = {"units": 100, "dropout": 0.1}
    if "labels" in data and SENTENCE not in data["columns"]:
        simplest = {
            "linear": (
                "a linear model over words and word pairs",
                {"model": {"name": "features", "lexical": True}},
            )
        }
    else:
        simplest = {
            "swem": (
                f"pooled word vectors of the release {START_RELEASE!r}, without word "
                "order",
                {
                    "embedding": PRETRAINED,
                    "model": {
                        "name": "swem",
                        "pooling": "concat",
                        "units": 100,
                        "classifier": classifier,
                    },
                    "training": TRAINING,
                },
            )
        }
    return {
        **simplest,
        "bilstm": (
            f"a Bi-LSTM with the word vectors of the release {START_RELEASE!r}",
            {
                "embedding": PRETRAINED,
                "model": {"name": "bilstm_max", "units": 100, "classifier": classifier},
                "training": TRAINING,
            },
        ),
        FINE_TUNED: _fine_tune_release(),
    }


def _fine_tune_release():
    """Returns the description and the config sections of the fine-tuned release."""
    released = RunFolder(fetch_release(START_RELEASE)).experiment()
    sections = {
        "embedding": PRETRAINED | {"projection": released.embedding.projection},
        "model": {
            "name": released.model.name,
            **released.model.model_dump(mode="json", exclude_defaults=True),
        },
        "training": {"start_from": START_RELEASE, **TRAINING},
    }
    return f"the release {START_RELEASE!r}, fine-tuned", sections


def write_configs(data: dict[str, Any], temporary: Path, folder: Path) -> list[Path]:
    """Writes the configs of `choose_models` to a temporary folder.

    Args:
        data: the section `data` of the configs.
        temporary: the temporary folder.
        folder: final path of the folder, which the commands in the configs contain.

    Returns: the final paths of the configs.

    Raises: `InputError` if the settings of a config are invalid.
    """
    configs = []
    for name, (description, sections) in choose_models(data).items():
        settings = {"seed": SEED, "data": data, **sections}
        config = folder / f"{name}.yaml"
        validate_settings(settings, config, None)
        text = yaml.safe_dump(
            settings, sort_keys=False, allow_unicode=True, default_flow_style=None
        )
        command = format_training_command(config)
        header = f"# {description[0].upper()}{description[1:]}.\n#   {command}\n"
        (temporary / config.name).write_text(header + text, encoding="utf-8")
        configs.append(config)
    return configs


def format_training_command(config: Path) -> str:
    """Returns the command that trains a config of `write_configs`."""
    return shlex.join(["dsa", "train", str(config), "--data-root", str(config.parent)])


def list_commands(configs: list[Path]) -> list[str]:
    """Returns the commands that train all models, compare the first model with the last
    model, and evaluate and export the last model."""
    runs = [str(make_run_path(config, {}, SEED)) for config in configs]
    first, last = runs[0], runs[-1]
    root = ["--data-root", str(configs[0].parent)]
    commands = [format_training_command(config) for config in configs]
    for arguments in (
        ["compare", first, last, *root],
        ["evaluate", last, "--split", "test", *root],
        ["export", last, "--format", "onnx", "--out", "exported"],
    ):
        commands.append(shlex.join(["dsa", *arguments]))
    return commands

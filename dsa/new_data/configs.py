"""Configs of three models for a user's data."""

import shlex
from pathlib import Path
from typing import Any

import yaml

from dsa.experiment.yaml_file import check_experiment, run_path
from dsa.hub.releases import fetch_release
from dsa.runs.run_folder import RunFolder
from dsa.tasks.task import SINGLE

VECTORS = "vectors.50d.txt"
RELEASE = "snli"
FINE_TUNED = "fine_tuned"
TRAINING = {"batch_size": 32, "epochs": 10, "early_stopping": 3}
PRETRAINED = {"path": VECTORS, "units": 50, "trainable": False}


def choose_models(data: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Returns the models for a section `data`: `{name: (description, settings)}`, the
    simplest model first.

    Pairs with labels get a linear model and ESIM, other rows SWEM and a Bi-LSTM; all
    rows get the release `RELEASE` to fine-tune. These choices are defaults without a
    measured recommendation.
    """
    classifier = {"units": 100, "dropout": 0.1}
    tuned = _fine_tune_release()
    if "labels" in data and SINGLE[0] not in data["columns"]:
        return {
            "linear": (
                "a linear model over words and word pairs",
                {"model": {"name": "features", "lexical": True}},
            ),
            "esim": (
                f"ESIM with the word vectors of the release {RELEASE!r}",
                {
                    "embedding": PRETRAINED,
                    "model": {"name": "esim", "units": 100, "dropout": 0.1},
                    "training": TRAINING,
                },
            ),
            FINE_TUNED: tuned,
        }
    return {
        "swem": (
            f"pooled word vectors of the release {RELEASE!r}, without word order",
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
        ),
        "bilstm": (
            f"a Bi-LSTM with the word vectors of the release {RELEASE!r}",
            {
                "embedding": PRETRAINED,
                "model": {"name": "bilstm_max", "units": 100, "classifier": classifier},
                "training": TRAINING,
            },
        ),
        FINE_TUNED: tuned,
    }


def _fine_tune_release():
    """Returns description and settings of a training that starts from the release."""
    released = RunFolder(fetch_release(RELEASE)).experiment()
    sections = {
        "embedding": PRETRAINED | {"projection": released.embedding.projection},
        "model": {
            "name": released.model.name,
            **released.model.model_dump(mode="json", exclude_defaults=True),
        },
        "training": {"start_from": RELEASE, **TRAINING},
    }
    return f"the release {RELEASE!r}, fine-tuned", sections


def write_configs(data: dict[str, Any], room: Path, folder: Path) -> list[Path]:
    """Writes the configs of `choose_models`.

    Args:
        data: the section `data`.
        room: the folder to write to.
        folder: the final name of this folder, for the commands in the files.

    Returns: the configs in `folder`.

    Raises: `InputError` for impossible settings.
    """
    configs = []
    for name, (description, sections) in choose_models(data).items():
        settings = {"seed": 13, "data": data, **sections}
        config = folder / f"{name}.yaml"
        check_experiment(settings, config, None)
        text = yaml.safe_dump(
            settings, sort_keys=False, allow_unicode=True, default_flow_style=None
        )
        command = write_training_command(config)
        header = f"# {description[0].upper()}{description[1:]}.\n#   {command}\n"
        (room / config.name).write_text(header + text, encoding="utf-8")
        configs.append(config)
    return configs


def write_training_command(config: Path) -> str:
    """Returns the command that trains a config of `write_configs`."""
    return shlex.join(["dsa", "train", str(config), "--data-root", str(config.parent)])


def write_commands(configs: list[Path]) -> list[str]:
    """Returns commands that train the models, compare the first with the last one, and
    evaluate and export the last one."""
    runs = [str(run_path(config, {}, 13)) for config in configs]
    root = ["--data-root", str(configs[0].parent)]
    export = ["dsa", "export", runs[-1], "--format", "onnx", "--out", "exported"]
    return [
        *map(write_training_command, configs),
        shlex.join(["dsa", "compare", runs[0], runs[-1], *root]),
        shlex.join(["dsa", "evaluate", runs[-1], "--split", "test", *root]),
        shlex.join(export),
    ]

"""A small experiment on a small corpus: settings and files."""

import yaml

from dsa.experiment.yaml_file import validate_settings
from tests.support.corpora import rows, write_jsonl

SETTINGS = {
    "seed": 3,
    "data": {"train": "train.jsonl", "dev": "dev.jsonl", "test": "test.jsonl"},
    "tokenizer": {"name": "treebank", "lowercase": True},
    "embedding": {"units": 8, "trainable": True},
    "model": {
        "name": "dsa",
        "units": 12,
        "heads": 3,
        "dropout": 0.2,
        "classifier": {"units": 10, "dropout": 0.2},
    },
    "training": {
        "batch_size": 4,
        "epochs": 2,
        "learning_rate": 0.01,
        "shapes": 4,  # JAX compiles each one
    },
}
SMALL_MODEL = {  # trained in a seventh of DSA's time: its graph is traced quickly
    "name": "swem",
    "units": 7,
    "dropout": 0.2,
    "classifier": {"units": 5, "dropout": 0.2},
}
NO_DROPOUT = {"dropout": 0.0, "classifier": {"units": 10, "dropout": 0.0}}  # model


def write_experiment(folder, **sections):
    """Writes `small.yaml` and its three corpus files to a folder.

    Args:
        folder: path of the folder.
        sections: settings that extend the sections of `SETTINGS`; a model with a name
            replaces the section.

    Returns: path of the config.
    """
    settings = dict(SETTINGS)
    for name, section in sections.items():
        extends = isinstance(section, dict) and not (
            name == "model" and "name" in section
        )
        settings[name] = {**settings.get(name, {}), **section} if extends else section
    for split, count in (("train", 30), ("dev", 11), ("test", 7)):
        write_jsonl(folder / f"{split}.jsonl", rows(count))
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump(settings))
    return path


def read_training(**training):
    """Returns the `TrainingConfig` of `SETTINGS` with other settings."""
    settings = {**SETTINGS, "training": {**SETTINGS["training"], **training}}
    return validate_settings(settings, "here").training


VECTORS = "a 1 0 0 1\nman 0 1 0 1\ndog .5 .5 1 0\ncat 0 0 1 1\nthe 1 1 1 0\n. 0 1 1 0\n"


def write_frozen_experiment(folder, **sections):
    """Writes an experiment with frozen 4-d vectors of a file and a projection."""
    (folder / "vectors.txt").write_text(VECTORS)
    embedding = {
        "path": "vectors.txt",
        "units": 4,
        "trainable": False,
        "projection": 8,
        "frequent_words": 2,
    }
    return write_experiment(folder, embedding=embedding, **sections)

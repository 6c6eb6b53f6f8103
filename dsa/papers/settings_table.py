"""Markdown tables of runs that differ in a few settings, each with its dev accuracy."""

import json
from pathlib import Path

from dsa.papers.commit_name import name_commit
from dsa.papers.model_tables import write_accuracy
from dsa.papers.results import read_results
from dsa.system.text_tables import markdown_table

STUDIES = {  # the folders of the runs, and the setting of each column by its heading
    "esim-steps": (
        ["esim_steps"],
        {
            "dropout": "model.dropout",
            "learning rate": "training.learning_rate",
            "trained vectors": "embedding.trainable",
            "steps": "training.steps",
        },
    ),
    "self-attentive-steps": (
        ["self_attentive_steps"],
        {
            "penalty": "model.penalty_form",
            "its coefficient": "model.penalty",
            "AdaGrad's sums begin at": "training.optimizer.initial_accumulator_value",
            "steps": "training.steps",
        },
    ),
    "transformer-epoch": (
        ["transformer_epoch"],
        {
            "norms": "model.norm",
            "word vectors times": "model.word_scale",
            "positions": "model.positions",
        },
    ),
    "learning-rate": (
        [
            "learning_rate",
            "seeds/transformer_3e-4",
            "seeds/transformer",
            "seeds_avx512/dsa",
        ],
        {
            "model": "model.name",
            "learning rate": "training.learning_rate",
            "epochs": "training.epochs",
        },
    ),
}


def write_settings_table(folders, columns, checkout):
    """A line for each run, in the order of the folders.

    Args:
        folders: of the runs, below `results/`.
        columns: the setting of each column by its heading, such as `model.dropout`.
        checkout: the folder that holds `results/`.

    Raises: `InputError` where there are no runs, `KeyError` for a run that was not
        evaluated on dev or lacks one of the settings.
    """
    return markdown_table(
        [*columns, "dev", "seed, commit"],
        [
            [
                *(_read_setting(result.experiment, key) for key in columns.values()),
                write_accuracy(result.evaluations["dev"]),
                f"{result.seed}, `{name_commit(result.environment)}`",
            ]
            for folder in folders
            for result in read_results(Path(checkout, "results", folder))
        ],
    )


def _read_setting(settings, key):
    for part in key.split("."):
        settings = settings[part]
    return settings if isinstance(settings, str) else json.dumps(settings)

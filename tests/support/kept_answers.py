"""Small runs with answers, as in `results/`."""

import json

import numpy as np
import yaml

from dsa.data.corpora.catalogue import NLI
from dsa.evaluation.answers import Answers, write_answers
from dsa.runs.run_folder import RunFolder

LABELS = np.array([0, 1, 2, 0, 1, 2, 0], np.int8)
LENGTHS = np.array([30, 5, 26, 25, 9, 8, 40], np.uint16)


def write_run(folder, seed, right, split="dev", **settings):
    """Writes a run of an experiment: `config.yaml`, `metrics.json` and answers.

    Args:
        folder: folder of the runs of the model.
        seed: seed of the run.
        right: a text with a digit for each row, "1" for a correct answer.
        split: name of the evaluation.
        settings: settings of the model.
    """
    run = RunFolder(folder / f"seed-{seed}")
    run.path.mkdir(parents=True, exist_ok=True)
    content = {
        "seed": seed,
        "data": {"train": "train.jsonl", "dev": "dev.jsonl"},
        "embedding": {"units": 5, "trainable": True},
        "model": {"name": "dsa", "units": 10, "heads": 5, **settings},
    }
    run.write("config.yaml", yaml.safe_dump(content))
    right = np.array([digit == "1" for digit in right])
    outputs = np.full((len(right), 3), 0.25, np.float16)
    outputs[np.arange(len(right)), np.where(right, LABELS, (LABELS + 1) % 3)] = 0.5
    groups = [None] * len(right)
    answers = Answers(split, "dev.jsonl", "rows", "", outputs, LABELS, LENGTHS, groups)
    run.add_metrics(
        {
            "split": split,
            "answers_sha256": write_answers(run, answers),
            **NLI.metrics(outputs, LABELS),
        }
    )
    return run


def change_answer(run, row, split="dev"):
    """Changes the answer of a row of a run; the file stays valid."""
    from dsa.evaluation.answers import read_answers

    answers = read_answers(run, split)
    answers.outputs[row] = np.roll(answers.outputs[row], 1)
    write_answers(run, answers)


def read_json(path):
    return json.loads(path.read_text())

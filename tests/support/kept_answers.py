"""Small runs with answers, as in `results/`."""

import json
import shutil

import numpy as np
import yaml

from dsa.data.corpora.catalogue import NLI
from dsa.evaluation.answers import Answers, write_answers
from dsa.evaluation.study_answers import find_answers, write_study_answers
from dsa.runs.run_folder import RunFolder
from dsa.runs.studies import RECORD_KEYS, list_runs, read_study
from tools.add_study import pack_runs

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
    run.write_json("environment.json", {"run_format": 1, "sha256": {}, "stopped": True})
    run.write_history([{"step": 1, "val_accuracy": 0.5}])
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


def pack_study(study):
    """Packs the run folders below a folder into a study, and removes them."""
    folders = {run.path: run for run in list_runs(study)}
    pack_runs(
        study,
        {path.relative_to(study).as_posix(): run for path, run in folders.items()},
    )
    for path in folders:
        shutil.rmtree(path)


def change_packed_answer(study, name, row, split="dev"):
    """Gives a row of a run of a study another answer."""
    answers = {
        (run.record["run"], entry["split"]): (
            find_answers(run, entry["split"]),
            run.experiment().task,
        )
        for run in read_study(study)
        for entry in run.metrics()
    }
    changed, _ = answers[name, split]
    changed.outputs[row] = np.roll(changed.outputs[row], 1)
    write_study_answers(study, answers)


def unpack_runs(source, target):
    """Writes the runs at or below a path inside a study as run folders."""
    for run in list_runs(source):
        folder = target / run.path.relative_to(source)
        folder.mkdir(parents=True)
        for name in RECORD_KEYS:
            if run.has(name):
                (folder / name).write_text(run.read(name), encoding="utf-8")


def read_json(path):
    return json.loads(path.read_text())

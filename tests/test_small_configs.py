"""Configs for a CPU are what the results were made with, and say what came out."""

import re
from pathlib import Path

import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.runs.studies import list_runs

ROOT = Path(__file__).parents[1]
RUNS = {  # config: folders below results/ with a run each, or one for each seed
    "bilstm_max_small": ["seeds/bilstm_max"],
    "decomposable_small": ["seeds/decomposable"],
    "disan_small": ["seeds/disan_adam", "models/disan_adam"],
    "dsa_no_distance_small": ["seeds/dsa_no_distance"],
    "dsa_150": ["released/units_150"],
    "dsa_small": ["seeds/dsa"],
    "esim_small": ["seeds/esim"],
    "gated_attention_small": ["seeds/gated_attention"],
    "hbmp_small": ["seeds/hbmp"],
    "self_attentive_small": ["seeds/self_attentive"],
    "shortcut_stacked_small": ["seeds/shortcut_stacked"],
    "swem_small": ["seeds/swem_max"],
    "transformer_small": ["seeds/transformer_3e-4"],
}


def runs_of(config):
    folders = [ROOT / "results" / name for name in RUNS[config]]
    runs = [run for folder in folders for run in list_runs(folder)]
    return sorted(runs, key=lambda run: run.experiment().seed)


def test_every_small_config_has_its_runs():
    files = {path.stem for path in (ROOT / "configs/snli").glob("*_small.yaml")}
    assert files == {name for name in RUNS if name.endswith("_small")}


@pytest.mark.parametrize("config", RUNS)
def test_a_small_config_has_the_settings_of_its_runs(config):
    settings = load_experiment(ROOT / f"configs/snli/{config}.yaml").result_settings()
    runs = runs_of(config)
    assert runs
    for run in runs:
        measured = run.experiment().result_settings()
        settings["seed"] = measured["seed"]
        if config == "dsa_150":  # a subset of this file goes by its name there
            measured["data"]["train"] = settings["data"]["train"]
        assert settings == measured


@pytest.mark.parametrize("config", RUNS)
def test_the_header_of_a_small_config_says_what_its_runs_measured(config):
    text = (ROOT / f"configs/snli/{config}.yaml").read_text()
    header = " ".join(line.removeprefix("# ") for line in text.splitlines()[:6])
    runs = runs_of(config)
    accuracies = [
        next(e for e in run.metrics() if e["split"] == "dev")["accuracy"]
        for run in runs
    ]
    mean = sum(accuracies) / len(runs)
    assert f"dev {100 * mean:.2f} % (seed" in header
    assert f"{', '.join(str(run.experiment().seed) for run in runs)}" in header
    if len(runs) > 1:
        low, high = 100 * min(accuracies), 100 * max(accuracies)
        assert f"{low:.2f} to {high:.2f})" in header
    minutes = [run.environment()["wall_seconds"] / 60 for run in runs]
    said = re.search(r"in (?:(\d+) to )?(\d+|a) minutes? on two cores", header)
    assert said and float(said[2].replace("a", "1")) == max(1, round(max(minutes)))
    assert said[1] is None or int(said[1]) == round(min(minutes))

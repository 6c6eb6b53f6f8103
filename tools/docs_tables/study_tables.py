"""Tables of this project's own studies, without a paper's numbers."""

import json
import statistics

import numpy as np

from dsa.data.prepared.views import format_evaluation_name
from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.papers.comparison_text import write_mean_and_range
from dsa.runs.run_records import read_history
from dsa.runs.studies import list_runs
from dsa.system.reading import read_text
from tools.add_study import DESCRIPTION
from tools.docs_tables.run_records import (
    find_results,
    join,
    name_dsa,
    read_results,
    read_run,
    write_accuracy,
    write_seed_and_commit,
    write_table,
)

STUDIES = {  # the folders of the runs, and the setting of each column by its heading
    "more-pairs": (
        ["released/units_150", "released/units_300", "snli/dsa_partial"],
        {
            "units": "model.units",
            "epochs": "training.epochs",
            "learning rate": "training.schedule.name",
        },
    ),
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
PRECISIONS = {  # what was trained on: runs in float32, runs in mixed_bfloat16
    "bundled corpus": ("precision/mini_float32", "precision/mini"),
    "40,000 SNLI pairs (7 %, **partial**)": ("snli/dsa_40k", "precision/snli_40k"),
}
VIEWED = {  # folders below results/seeds, in the order of the table
    "dsa": "DSA",
    "dsa_no_distance": "DSA without distance mask",
    "transformer": "Transformer, trained as DSA",
    "transformer_3e-4": "Transformer",
    "bilstm_max": "Bi-LSTM, max pooling",
    "decomposable": "decomposable attention",
    "esim": "ESIM",
}
VIEWS = ("shuffled_words", "hypothesis_only", "premise_only")


def write_settings_table(folders, columns, checkout):
    """Runs that differ in a few settings: a line for each, in the order of the folders.

    Args:
        folders: of the runs, below `results/`.
        columns: the setting of each column by its heading, such as `model.dropout`.
        checkout: the folder that holds `results/`.

    Raises: `InputError` where there are no runs, `KeyError` for a run that was not
        evaluated on dev or lacks one of the settings.
    """
    runs = [run for f in folders for run in read_results(checkout / "results" / f)]
    return write_table(
        [
            {
                **{name: _write_setting(run[key]) for name, key in columns.items()},
                "dev": write_accuracy(run),
                "seed, commit": write_seed_and_commit(run),
            }
            for run in runs
        ]
    )


def _write_setting(value):
    return value if isinstance(value, str) else json.dumps(value)


def write_studies_table(checkout):
    """The studies below `results/`, from their `study.yaml`."""
    lines = []
    for path in sorted((checkout / "results").rglob(DESCRIPTION)):
        study = parse_yaml(read_text(path), path)
        share = f" (**partial**: {study['partial']})" if study["partial"] else ""
        lines.append(
            {
                "study": f"`{path.parent.relative_to(checkout / 'results')}`",
                "question": study["question"],
                "runs": len(list_runs(path.parent)),
                "data": f"{study['data']}{share}",
            }
        )
    return write_table(lines)


def write_mini_table(checkout):
    """DSA on the bundled corpus, mean and range over seeds, also on the long pairs."""
    models, lines = {}, []
    for run in read_results(checkout / "results/mini"):
        models.setdefault(name_dsa(run), []).append(run)
    for model, runs in sorted(models.items()):
        tests = [run["evaluations"]["test"] for run in runs]
        short, long = ([t["by_group"][g] for t in tests] for g in ("short", "long"))
        lines.append(
            {
                "model": model,
                "test": _write_range(tests),
                "short pairs": _write_range(short),
                "long pairs": _write_range(long),
                "seeds": join(run["seed"] for run in runs),
                "test evaluations a run": join(sorted({run["tests"] for run in runs})),
            }
        )
    return write_table(lines)


def _write_range(entries):
    shares = [100 * entry["accuracy"] for entry in entries]
    mean = statistics.mean(shares)
    return f"{mean:.1f} % ({min(shares):.1f}-{max(shares):.1f})"


def write_batches_table(checkout):
    """Batches by length beside random ones: dev accuracy by seed, after each epoch."""
    lines, best = [], {"by length": [], "random": []}
    for run in find_results(checkout / "results/batches"):
        history, settings = read_history(run), read_run(run)
        kind = "by length" if settings["training.by_length"] else "random"
        accuracies = [100 * row["val_accuracy"] for row in history]
        best[kind].append(max(accuracies))
        lines.append(
            {
                "batches": kind,
                "seed": settings["seed"],
                "dev by epoch": join(f"{accuracy:.1f} %" for accuracy in accuracies),
                "best": f"{max(accuracies):.1f} %",
                "seconds an epoch": join(f"{r['seconds']:.0f}" for r in history),
            }
        )
    differences = np.subtract(best["by length"], best["random"])
    error = differences.std(ddof=1) / len(differences) ** 0.5
    last = {
        "batches": "by length - random",
        "seed": f"{len(differences)} pairs of runs",
        "dev by epoch": "",
        "best": f"{differences.mean():+.1f} +- {error:.1f} points (standard error)",
        "seconds an epoch": "",
    }
    return write_table([*lines, last])


def write_precision_table(checkout):
    """DSA trained in float32 beside mixed_bfloat16: dev accuracy by seed."""
    lines = []
    for corpus, folders in PRECISIONS.items():
        wide, narrow = (
            {run["seed"]: run for run in read_results(checkout / "results" / folder)}
            for folder in folders
        )
        for seed, run in narrow.items():
            both = (wide[seed], run)
            before, after = (r["evaluations"]["dev"]["accuracy"] for r in both)
            lines.append(
                {
                    "DSA trained on": corpus,
                    "seed": seed,
                    "dev, float32": write_accuracy(wide[seed]),
                    "dev, mixed_bfloat16": write_accuracy(run),
                    "difference": f"{100 * (after - before):+.2f} points",
                }
            )
    return write_table(lines)


def write_views_table(checkout):
    """Models evaluated in views of the rows: accuracy on dev as mean and range over
    seeds, and what the shuffled words cost each run.

    Raises: `InputError` where no model has runs, `KeyError` for a run that was not
        evaluated in one of the views: the table would lose its row.
    """
    seeds, lines = checkout / "results/seeds", []
    splits = ["dev", *(format_evaluation_name("dev", view, None) for view in VIEWS)]
    for folder, name in VIEWED.items():
        runs = [read_run(run) for run in list_runs(seeds / folder)]
        if not runs:
            continue
        dev, shuffled, hypothesis, premise = (
            [100 * run["evaluations"][split]["accuracy"] for run in runs]
            for split in splits
        )
        numbers = {
            "dev": dev,
            "shuffled words": shuffled,
            "points lost by it": np.subtract(dev, shuffled).tolist(),
            "hypothesis only": hypothesis,
            "premise only": premise,
        }
        cells = {key: write_mean_and_range(n, ".2f") for key, n in numbers.items()}
        lines.append({"model": name, "seeds": join(r["seed"] for r in runs), **cells})
    if not lines:
        raise InputError(f"no results of {', '.join(VIEWED)} below {seeds}")
    return write_table(lines)

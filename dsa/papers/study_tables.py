"""Markdown tables of studies of this project: seeds, batches, precision, oneDNN."""

import csv
from pathlib import Path

import numpy as np

from dsa.experiment.yaml_file import parse_yaml
from dsa.papers.model_tables import name_dsa, write_accuracy
from dsa.papers.results import find_configs, read_results
from dsa.system.reading import read_json_object, read_text
from dsa.system.text_tables import markdown_table

PRECISIONS = {  # what was trained on: runs in float32, runs in mixed_bfloat16
    "bundled corpus": ("precision/mini_float32", "precision/mini"),
    "40,000 SNLI pairs (7 %, **partial**)": ("snli/dsa_40k", "precision/snli_40k"),
}

ONEDNN_SIDES = {"real": "DSA", "esim": "ESIM"}  # as the benchmark names them


def write_mini_table(checkout):
    """DSA on the bundled corpus, mean and range over seeds, also on the long pairs."""
    results = {}
    for result in read_results(Path(checkout, "results", "mini")):
        results.setdefault(name_dsa(result.experiment), []).append(result)
    return markdown_table(
        [
            "model",
            "test",
            "short pairs",
            "long pairs",
            "seeds",
            "test evaluations a run",
        ],
        [_write_mini_cells(name, runs) for name, runs in sorted(results.items())],
    )


def _write_mini_cells(name, results):
    tests = [result.evaluations["test"] for result in results]
    parts = [tests, *([t["by_group"][g] for t in tests] for g in ("short", "long"))]
    looks = sorted({result.test_evaluations for result in results})
    return [
        name,
        *(_write_range([entry["accuracy"] for entry in part]) for part in parts),
        ", ".join(str(result.seed) for result in results),
        ", ".join(map(str, looks)),
    ]


def _write_range(shares):
    mean = sum(shares) / len(shares)
    return f"{100 * mean:.1f} % ({100 * min(shares):.1f}-{100 * max(shares):.1f})"


def write_batches_table(checkout):
    """Batches by length beside random ones: dev accuracy by seed, after each epoch."""
    lines, best = [], {"by length": [], "random": []}
    for config in find_configs(Path(checkout, "results", "batches")):
        table = read_text(config.parent / "history.csv")
        history = list(csv.DictReader(table.splitlines()))
        settings = parse_yaml(read_text(config), config)
        kind = "by length" if settings["training"]["by_length"] else "random"
        accuracies = [100 * float(row["val_accuracy"]) for row in history]
        best[kind].append(max(accuracies))
        lines.append(
            [
                kind,
                str(settings["seed"]),
                ", ".join(f"{accuracy:.1f} %" for accuracy in accuracies),
                f"{max(accuracies):.1f} %",
                ", ".join(f"{float(row['seconds']):.0f}" for row in history),
            ]
        )
    return markdown_table(
        ["batches", "seed", "dev by epoch", "best", "seconds an epoch"],
        [*lines, _write_difference(best["by length"], best["random"])],
    )


def _write_difference(by_length, random):
    differences = np.subtract(by_length, random)
    error = differences.std(ddof=1) / len(differences) ** 0.5
    return [
        "by length - random",
        f"{len(differences)} pairs of runs",
        "",
        f"{differences.mean():+.1f} +- {error:.1f} points (standard error)",
        "",
    ]


def write_precision_table(checkout):
    """DSA trained in float32 beside mixed_bfloat16: dev accuracy by seed."""
    results = Path(checkout, "results")
    lines = []
    for corpus, folders in PRECISIONS.items():
        wide, narrow = (_read_dev_by_seed(results / folder) for folder in folders)
        for seed, dev in narrow.items():
            difference = 100 * (dev["accuracy"] - wide[seed]["accuracy"])
            lines.append(
                [
                    corpus,
                    str(seed),
                    write_accuracy(wide[seed]),
                    write_accuracy(dev),
                    f"{difference:+.2f} points",
                ]
            )
    return markdown_table(
        ["DSA trained on", "seed", "dev, float32", "dev, mixed_bfloat16", "difference"],
        lines,
    )


def write_onednn_table(checkout):
    """Training steps with and without oneDNN on a processor without AVX-512."""
    benchmarks = Path(checkout, "results", "benchmarks")
    off, on = (
        _read_rates(benchmarks / f"onednn_{side}.json") for side in ("off", "on")
    )
    return markdown_table(
        ["model", "oneDNN off", "oneDNN on", "ratio"],
        [
            [
                name,
                f"{off[side]:.0f} pairs/s",
                f"{on[side]:.0f} pairs/s",
                f"{on[side] / off[side]:.2f}",
            ]
            for side, name in ONEDNN_SIDES.items()
        ],
    )


def _read_rates(path):
    figures = read_json_object(path)["figures"]
    return {side: each["pairs_per_second"]["median"] for side, each in figures.items()}


def _read_dev_by_seed(folder):
    return {r.seed: r.evaluations["dev"] for r in read_results(folder)}

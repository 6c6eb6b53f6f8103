"""Tables of the benchmark records in `results/benchmarks/`."""

import csv
import statistics

from dsa.system.reading import read_json_object, read_text
from tools.docs_tables.other_tables import write_dictionaries

FOLDER = "results/benchmarks"
ONEDNN_SIDES = {"real": "DSA", "esim": "ESIM"}  # sides of the benchmark

PLAIN_STEPS = {  # model, device: record
    ("DSA", "CPU, AVX-512"): "dsa",
    ("DSA", "CPU, AVX2"): "dsa_avx2",
    ("ESIM", "CPU, AVX-512"): "esim",
    ("ESIM", "CPU, AVX2"): "esim_avx2",
    ("DSA", "H100 GPU, ours on JAX"): "dsa_gpu",
}


def read_benchmark(checkout, file, name):
    """Returns a record by name from a file with several records."""
    return read_json_object(checkout / FOLDER / f"{file}.json")[name]


def write_plain_step_table(checkout):
    """Returns the rates of training steps of this project and of plain PyTorch."""
    lines = []
    for (model, device), name in PLAIN_STEPS.items():
        record = read_benchmark(checkout, "plain_step", name)
        against = record["pairs_per_second_of_ours_against"]
        best, figures = record["best"], record["figures"]
        rates = {
            kind: figures[side]["pairs_per_second"]["median"]
            for kind, side in best.items()
        }
        lines.append(
            {
                "model": model,
                "device": device,
                "ours": f"{rates['ours']:,.0f} pairs/s",
                "plain PyTorch": f"{rates['plain']:,.0f} pairs/s",
                "plain, our batches": f"{rates['plain, our batches']:,.0f} pairs/s",
                "ours / plain": f"{against['plain']:.2f}",
                "ours / plain, our batches": f"{against['plain, our batches']:.2f}",
                "record, commit": f"`{name}`, `{record['commit'][:7]}`",
            }
        )
    return write_dictionaries(lines)


def write_onednn_table(checkout):
    """Returns the rates of training steps with and without oneDNN, without AVX-512."""
    records = {
        name: read_benchmark(checkout, "train_step", name)
        for name in ("onednn_off", "onednn_on")
    }
    lines = []
    for side, model in ONEDNN_SIDES.items():
        rates = {
            name: record["figures"][side]["pairs_per_second"]["median"]
            for name, record in records.items()
        }
        off, on = rates["onednn_off"], rates["onednn_on"]
        lines.append(
            {
                "model": model,
                "oneDNN off": f"{off:.0f} pairs/s",
                "oneDNN on": f"{on:.0f} pairs/s",
                "ratio": f"{on / off:.2f}",
            }
        )
    return write_dictionaries(lines)


def write_goals_table(checkout):
    """Returns goals and measurements, a line per row of `results/benchmarks/goals.csv`.

    Columns of a row: the JSON `file`, the `path` of the number in this file (keys and
    indices, joined by dots), a `divisor`, a format string `format`, the name of the
    `measurement`, and the `goal`.
    """
    folder, lines = checkout / FOLDER, []
    for goal in csv.DictReader(read_text(folder / "goals.csv").splitlines()):
        file = f"{goal['file']}.json"
        number, commit = read_json_object(folder / file), ""
        for key in goal["path"].split("."):
            if isinstance(number, list):
                number = number[int(key)]
            else:
                commit = number.get("commit", commit)
                number = number[key]
        if isinstance(number, dict):  # several rounds
            number = statistics.median(number["all"])
        link = f"[{file}](../{FOLDER}/{file})"
        lines.append(
            {
                "measurement": goal["measurement"],
                "result": goal["format"].format(number / int(goal["divisor"])),
                "goal": goal["goal"],
                "file, commit": f"{link}, `{commit[:7]}`",
            }
        )
    return write_dictionaries(lines)

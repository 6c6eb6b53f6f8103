"""Tables of what the benchmarks measured."""

import csv
import statistics

from dsa.system.reading import read_json_object, read_text
from tools.docs_tables.run_records import write_table

ONEDNN_SIDES = {"real": "DSA", "esim": "ESIM"}  # as the benchmark names them

PLAIN_STEPS = {  # model, what computes: record
    ("DSA", "CPU, AVX-512"): "plain_step_dsa",
    ("DSA", "CPU, AVX2"): "plain_step_dsa_avx2",
    ("ESIM", "CPU, AVX-512"): "plain_step_esim",
    ("ESIM", "CPU, AVX2"): "plain_step_esim_avx2",
    ("DSA", "H100 GPU, ours on JAX"): "gpu_plain_step_dsa",
}


def write_plain_step_table(checkout):
    """Training steps beside those of the same model in plain PyTorch."""
    lines = []
    for (model, computes), file in PLAIN_STEPS.items():
        record = read_json_object(checkout / f"results/benchmarks/{file}.json")
        against = record["pairs_per_second_of_ours_against"]
        best, figures = record["best"], record["figures"]
        rates = {
            name: figures[side]["pairs_per_second"]["median"]
            for name, side in best.items()
        }
        lines.append(
            {
                "model": model,
                "on": computes,
                "ours": f"{rates['ours']:,.0f} pairs/s",
                "plain PyTorch": f"{rates['plain']:,.0f} pairs/s",
                "plain, our batches": f"{rates['plain, our batches']:,.0f} pairs/s",
                "ours to plain": f"{against['plain']:.2f}",
                "ours to plain, our batches": f"{against['plain, our batches']:.2f}",
                "file, commit": f"[{file}.json](../results/benchmarks/{file}.json), "
                f"`{record['commit'][:7]}`",
            }
        )
    return write_table(lines)


def write_onednn_table(checkout):
    """Training steps with and without oneDNN on a processor without AVX-512."""
    lines = []
    for side, name in ONEDNN_SIDES.items():
        off, on = (
            read_json_object(checkout / f"results/benchmarks/onednn_{state}.json")[
                "figures"
            ][side]["pairs_per_second"]["median"]
            for state in ("off", "on")
        )
        lines.append(
            {
                "model": name,
                "oneDNN off": f"{off:.0f} pairs/s",
                "oneDNN on": f"{on:.0f} pairs/s",
                "ratio": f"{on / off:.2f}",
            }
        )
    return write_table(lines)


def write_goals_table(checkout):
    """What the benchmarks were built for and what they measured, a line for each row of
    `results/benchmarks/goals.csv`: `path` is the number's in the JSON `file`, keys with
    dots; it is divided by `divisor` and written in a `form`."""
    folder, lines = checkout / "results/benchmarks", []
    for goal in csv.DictReader(read_text(folder / "goals.csv").splitlines()):
        file = f"{goal['file']}.json"
        record = number = read_json_object(folder / file)
        for key in goal["path"].split("."):
            number = number[key]
        if isinstance(number, dict):  # a figure of several rounds
            number = statistics.median(number["all"])
        link = f"[{file}](../results/benchmarks/{file})"
        lines.append(
            {
                "what": goal["what"],
                "measured": goal["form"].format(number / int(goal["divisor"])),
                "goal": goal["goal"],
                "file, commit": f"{link}, `{record['commit'][:7]}`",
            }
        )
    return write_table(lines)

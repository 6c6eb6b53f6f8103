"""Tables of what the benchmarks measured."""

import csv
import statistics

from dsa.system.reading import read_json_object, read_text
from tools.docs_tables.run_records import write_table

ONEDNN_SIDES = {"real": "DSA", "esim": "ESIM"}  # as the benchmark names them


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

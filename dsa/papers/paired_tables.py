"""Markdown tables of paired comparisons, from what `dsa compare` printed.

A file of them has its commands, each in a line that begins with `$ dsa compare`, and
after each command what it printed. Runs are named `model/seed-13`.
"""

import re
from pathlib import Path

from dsa.errors import InputError
from dsa.system.reading import read_text
from dsa.system.text_tables import markdown_table

COMMAND = "$ dsa compare "
# said, as the end of an interval is rounded, and can be 0
RESOLVED, UNRESOLVED = "resolve the difference", "cannot be resolved"
INTERVAL = r"(?: \(\S+ to \S+\))?"  # of a mean
DIFFERENCE = (
    r"(?m)^  {metric} +(?P<first>\S+?)"
    + INTERVAL
    + r", (?P<other>\S+?)"
    + INTERVAL
    + r", difference (?P<difference>\S+), 95 % interval (?P<low>\S+) to (?P<high>\S+) "
    rf".*(?P<verdict>{RESOLVED}|{UNRESOLVED})"
)


def write_paired_table(file, metric, base, checkout):
    """The differences between models, over several seeds or for one.

    Args:
        file: what was printed, below `results/`.
        metric: its key in `metrics.json`, such as "map".
        base: the name of the first model's column.
        checkout: the folder that holds `results/`.

    Raises: `InputError` for a file that lacks the metric after a command.
    """
    path = Path(checkout, "results", file)
    lines = [
        _write_cells(path, metric, part) for part in read_text(path).split(COMMAND)[1:]
    ]
    differences = ["difference", "95 % interval", "resolved"]
    return markdown_table(["models", "seeds", "its mean", base, *differences], lines)


def _write_cells(path, metric, part):
    command = part.splitlines()[0]
    found = re.search(DIFFERENCE.replace("{metric}", metric), part)
    if found is None:
        raise InputError(f"{path}: no '{metric}' after '{COMMAND}{command}'")
    first, other = (_name_model(runs) for runs in command.split(" --with "))
    return [
        f"`{other}` minus `{first}`",
        _name_seeds(command),
        found["other"],
        found["first"],
        found["difference"],
        f"{found['low']} to {found['high']}",
        "yes" if found["verdict"] == RESOLVED else "no",
    ]


def _name_seeds(command):
    """The seeds of both models; of each one, where they differ."""
    sides = command.split(" --split ")[0].split(" --with ")
    seeds = [", ".join(re.findall(r"seed-(\d+)", runs)) for runs in sides]
    if len(set(seeds)) == 1:
        return seeds[0]
    return "; ".join(
        f"`{_name_model(runs)}` {numbers}"
        for runs, numbers in zip(sides, seeds, strict=True)
    )


def _name_model(runs):
    return re.sub(r"/.*", "", runs.split()[0])

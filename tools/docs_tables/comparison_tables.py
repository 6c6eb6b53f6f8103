"""Tables of differences between models, over seeds and rows; older ones over rows."""

import csv
import re

from dsa.errors import InputError
from dsa.system.reading import read_text
from tools.comparisons import ALL, NAME
from tools.docs_tables.run_records import join, write_table

COMMAND = "$ dsa compare "
# said by an earlier version, as the end of an interval is rounded, and can be 0
APART, NOT_APART = "resolve the difference", "cannot be resolved"
INTERVAL = r"(?: \(\S+ to \S+\))?"  # of a mean
DIFFERENCE = (
    r"(?m)^  {metric} +(?P<first>\S+?)"
    + INTERVAL
    + r", (?P<other>\S+?)"
    + INTERVAL
    + r", difference (?P<difference>\S+), 95 % interval (?P<low>\S+) to (?P<high>\S+) "
    rf".*(?P<verdict>{APART}|{NOT_APART})"
)


def write_comparisons_table(experiment, checkout):
    """Differences over seeds and rows, in points.

    Args:
        experiment: a folder below `results/` with the table of `tools.comparisons`.
        checkout: the folder that holds `results/`.

    Raises: `InputError` for an experiment without table.
    """
    path = checkout / "results" / experiment / NAME
    try:
        lines = list(csv.DictReader(read_text(path).splitlines()))
    except FileNotFoundError:
        raise InputError(f"no comparisons in {path}") from None
    return write_table(
        [
            {
                "models": f"`{line['other']}` minus `{line['first']}`",
                "measured": _name_measured(line),
                "seeds": line["seeds"],
                "means": f"{_write_points(line, 'other_mean', '')}, "
                f"{_write_points(line, 'first_mean', '')}",
                "difference, points": _write_points(line, "difference"),
                "95 %, bootstrap over seeds and rows": _write_interval(
                    line, "bootstrap"
                ),
                "95 %, paired t over seeds": _write_interval(line, "t"),
                "significant": line["significant"],
            }
            for line in lines
        ]
    )


def _name_measured(line):
    measured = line["metric"]
    rows = "" if line["rows"] == ALL else f", {line['rows']}"
    if line["minus"]:
        return f"{measured} lost from {line['split']} to {line['minus']}{rows}"
    return f"{measured} on {line['split']}{rows}"


def _write_points(line, key, sign="+"):
    return f"{100 * float(line[key]):{sign}.2f}"


def _write_interval(line, name):
    if line["t_low"] == "nan" and name == "t":
        return "one seed"
    low, high = (_write_points(line, f"{name}_{end}") for end in ("low", "high"))
    return f"{low} to {high}"


def write_paired_table(file, metric, base, checkout):
    """Paired differences between models whose answers were not kept: the intervals are
    over rows, or questions, with the seeds fixed.

    Args:
        file: below `results/`: commands, each in a line that begins with
            `$ dsa compare`, and after each what an earlier version printed. Runs are
            named `model/seed-13`.
        metric: its key in `metrics.json`, such as "map".
        base: the name of the first model's column.
        checkout: the folder that holds `results/`.

    Raises: `InputError` for a file that lacks the metric after a command.
    """
    path, lines = checkout / "results" / file, []
    for part in read_text(path).split(COMMAND)[1:]:
        command = part.splitlines()[0]
        found = re.search(DIFFERENCE.replace("{metric}", metric), part)
        if found is None:
            raise InputError(f"{path}: no '{metric}' after '{COMMAND}{command}'")
        sides = command.split(" --split ")[0].split(" --with ")
        first, other = (_name_model(runs) for runs in sides)
        lines.append(
            {
                "models": f"`{other}` minus `{first}`",
                "seeds": _name_seeds(sides),
                "its mean": found["other"],
                base: found["first"],
                "difference": found["difference"],
                "95 % interval over rows only, seeds fixed": (
                    f"{found['low']} to {found['high']}"
                ),
                "it leaves out 0": "yes" if found["verdict"] == APART else "no",
            }
        )
    return write_table(lines)


def _name_seeds(sides):
    """The seeds of both models; of each one, where they differ."""
    seeds = [join(re.findall(r"seed-(\d+)", runs)) for runs in sides]
    if len(set(seeds)) == 1:
        return seeds[0]
    return "; ".join(
        f"`{_name_model(runs)}` {numbers}"
        for runs, numbers in zip(sides, seeds, strict=True)
    )


def _name_model(runs):
    return re.sub(r"/.*", "", runs.split()[0])

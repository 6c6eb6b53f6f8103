"""Tables of differences between models, over seeds and rows."""

import csv

from dsa.errors import InputError
from dsa.system.reading import read_text
from tools.comparisons import ALL, NAME
from tools.docs_tables.run_records import write_table


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

"""Tables of differences between models, over seeds and rows."""

import csv

from dsa.errors import InputError
from dsa.system.reading import read_text
from tools.comparisons import ALL, NAME
from tools.docs_tables.run_records import write_table

ESIM = "ESIM, trained as aESIM"
# tables of pairs of models: by experiment, model and base, their names
PAIRS = {
    "esim-alike": {
        ("esim_alike", "aesim", "esim"): ("aESIM", ESIM),
    },
    "sorted-words": {
        ("esim_alike", "esim_sorted", "esim"): (f"{ESIM}, on sorted words", ESIM),
        ("word_order", "bilstm_max_sorted", "bilstm_max"): (
            "Bi-LSTM, max pooling, on sorted words",
            "Bi-LSTM, max pooling",
        ),
    },
}


def read_lines(path):
    """The lines of a CSV file: dictionaries.

    Raises: `InputError` without the file.
    """
    try:
        return list(csv.DictReader(read_text(path).splitlines()))
    except FileNotFoundError:
        raise InputError(f"no comparisons in {path}") from None


def write_comparisons_table(experiment, checkout):
    """Differences over seeds and rows, in points.

    Args:
        experiment: a folder below `results/` with the table of `tools.comparisons`.
        checkout: the folder that holds `results/`.

    Raises: `InputError` for an experiment without table.
    """
    lines = read_lines(checkout / "results" / experiment / NAME)
    return write_table(
        [
            {
                "models": f"`{line['other']}` minus `{line['first']}`",
                "measured": _name_measured(line),
                "seeds": line["seeds"],
                "means": f"{write_points(line, 'other_mean', '')}, "
                f"{write_points(line, 'first_mean', '')}",
                "difference, points": write_points(line, "difference"),
                "95 %, bootstrap over seeds and rows": write_interval(
                    line, "bootstrap"
                ),
                "95 %, paired t over seeds": write_interval(line, "t"),
                "significant": line["significant"],
            }
            for line in lines
        ]
    )


def write_pairs_table(pairs, checkout):
    """Accuracy on dev of pairs of models, and their difference.

    Args:
        pairs: as those of `PAIRS`.
        checkout: the folder that holds `results/`.

    Raises: `InputError` for a pair that was not compared.
    """
    rows = []
    for (experiment, *models), (name, base) in pairs.items():
        lines = read_lines(checkout / "results" / experiment / NAME)
        line = next((line for line in lines if _is_of(models, line)), None)
        if line is None:
            raise InputError(f"results/{experiment}: no comparison of {models}")
        rows.append(
            {
                "model": name,
                "accuracy on dev": write_points(line, "other_mean", ""),
                "compared with": base,
                "its accuracy": write_points(line, "first_mean", ""),
                "difference, points": write_difference(line),
                "seeds": line["seeds"],
            }
        )
    return write_table(rows)


def _is_of(models, line):
    """Whether a line compares two models on all rows of dev."""
    keys = ("other", "first", "split", "minus", "rows")
    return [line[key] for key in keys] == [*models, "dev", "", ALL]


def write_difference(line):
    """A difference with both of its intervals, in points."""
    mean = write_points(line, "difference")
    mark = "**" if line["significant"] == "yes" else ""
    intervals = f"{write_interval(line, 'bootstrap')}; {write_interval(line, 't')}"
    return f"{mark}{mean}{mark} ({intervals})"


def _name_measured(line):
    measured = line["metric"]
    rows = "" if line["rows"] == ALL else f", {line['rows']}"
    if line["minus"]:
        return f"{measured} lost from {line['split']} to {line['minus']}{rows}"
    return f"{measured} on {line['split']}{rows}"


def write_points(line, key, sign="+"):
    return f"{100 * float(line[key]):{sign}.2f}"


def write_interval(line, name):
    if line["t_low"] == "nan" and name == "t":
        return "one seed"
    low, high = (write_points(line, f"{name}_{end}") for end in ("low", "high"))
    return f"{low} to {high}"

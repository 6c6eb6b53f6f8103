"""Reading of committed results as flat records for `tools.docs_tables.pivot`."""

import csv

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.papers.comparison import compare_rows, format_commit
from dsa.papers.comparison_text import format_ours
from dsa.papers.planning import find_finished_runs, plan_runs
from dsa.papers.table_files import find_table
from dsa.runs.run_names import flatten
from dsa.runs.studies import list_runs
from dsa.system.reading import read_text
from dsa.tasks.seed_comparison import compare_over_seeds
from tools.answered_models import AnsweredModels
from tools.comparisons import read_comparisons

TEXTS = ("first", "other", "split", "minus", "rows", "metric", "significant", "seeds")


def read_records(table, checkout):
    """Returns the records of a table, a list of dictionaries.

    Args:
        table: mapping with one of the keys `runs` (folders of runs), `comparisons`
            (experiments of comparisons.csv), `answers` (folders of runs with answers),
            `csv` (a file), all below `results/`, and `paper_tables` (names of tables
            of `dsa reproduce`; requires the keys `preset` and `seeds`).
        checkout: folder that contains `results/` and `configs/`.

    Raises: `InputError` for missing results.
    """
    results = checkout / "results"
    if "runs" in table:
        return [run for folder in table["runs"] for run in read_runs(results / folder)]
    if "comparisons" in table:
        lines = read_comparisons(results)
        return [
            record
            for name in table["comparisons"]
            for line in lines.get(name, ())
            for record in read_line(name, line)
        ]
    if "answers" in table:
        folders = table["answers"]
        return [mean for folder in folders for mean in read_means(results, folder)]
    if "csv" in table:
        return read_csv(results / table["csv"])
    return [
        row
        for name in table["paper_tables"]
        for row in read_paper_rows(name, table["preset"], table["seeds"], checkout)
    ]


def read_runs(folder):
    """Returns the records of the runs at or below a folder, sorted by path.

    Raises: `InputError` for a folder without runs.
    """
    runs = list_runs(folder)
    if not runs:
        raise InputError(f"no results below {folder}")
    return [read_run(run) for run in runs]


def read_run(run):
    """Returns the record of a `RunFolder`.

    Keys: `run` (path of the run); the keys of `config.yaml`, such as `model.alpha`,
    unchanged (older runs have another schema); `environment`; `evaluations` (the last
    entry of `RunFolder.current_evaluations` by split) and their metrics, such as
    `dev.accuracy`; `tests` (number of evaluations on test); `seconds` (per epoch);
    `commit`; `processor`; `pairs` (number of training pairs); `parameters`.
    """
    config = run.path / "config.yaml"
    environment = run.read_json("environment.json")
    evaluations = {entry["split"]: entry for entry in run.current_evaluations()}
    extensions = environment.get("vector_extensions", ())
    parameters = environment.get("parameters", {})
    return {
        **flatten(parse_yaml(run.read(config.name), config)),
        **flatten(evaluations),
        "run": run.path,
        "environment": environment,
        "seconds": environment.get("seconds_per_epoch"),
        "evaluations": evaluations,
        "tests": sum(entry["split"] == "test" for entry in run.metrics()),
        "commit": format_commit(environment),
        "processor": "AVX-512" if "avx512f" in extensions else "AVX2",
        "pairs": environment.get("pairs", {}).get("train"),
        "parameters": parameters.get("trainable_without_embeddings"),
    }


def read_line(experiment, line):
    """Returns two records of a line of comparisons.csv.

    The second record has `first` and `other` exchanged.
    """
    line = {key: _parse(key, text) for key, text in line.items()}
    records = [line, exchange(line)]
    study, _, part = experiment.rpartition("/")
    for record in records:
        record |= {"experiment": experiment, "study": study, "part": part}
        record["lost"] = bool(record["minus"])
        record["view"] = record["minus"] or record["split"]
        record["shown"] = describe(record)
    return records


def exchange(line):
    """Returns a line with `first` and `other` exchanged."""
    exchanged = {**line, "first": line["other"], "other": line["first"]}
    exchanged |= {"first_mean": line["other_mean"], "other_mean": line["first_mean"]}
    exchanged |= {"low": -line["high"], "high": -line["low"]}
    return exchanged | {"difference": -line["difference"]}


def describe(line):
    """Returns a difference with its interval, in points; bold if significant."""
    mark = "**" if line["significant"] == "yes" else ""
    mean, low, high = (f"{100 * line[k]:+.2f}" for k in ("difference", "low", "high"))
    return f"{mark}{mean}{mark} ({low} to {high})"


def read_csv(path):
    """Returns the rows of a CSV file, with numbers as floats."""
    rows = csv.DictReader(read_text(path).splitlines())
    return [{key: _parse(key, text) for key, text in row.items()} for row in rows]


def _parse(key, text):
    if key in TEXTS:
        return text
    try:
        return float(text)
    except ValueError:
        return text


def read_means(results, folder):
    """Returns the mean of each metric on test for the models of a folder.

    Computed from the stored answers, with an interval over seeds and rows.
    """
    study, _, part = folder.rpartition("/")
    models = AnsweredModels(results / folder)
    records = []
    for name in models.list_models():
        values, _, _, seeds = models.read_pair(name, name, "test")
        for metric, numbers in values.items():
            result = compare_over_seeds(0 * numbers, numbers)
            low, high = result.interval
            records.append(
                {
                    "study": study,
                    "part": part,
                    "model": name,
                    "metric": metric,
                    "mean": result.difference,
                    "low": low,
                    "high": high,
                    "seeds": seeds,
                }
            )
    return records


def read_paper_rows(name, preset, seeds, checkout):
    """Returns the records of the rows of a paper's table for which there are runs.

    The records of `dsa.papers.comparison.compare_rows` are extended by the keys `task`,
    `name`, `seeds` and `commit`, and for each measure NAME by `NAME text`, `NAME
    printed` and `NAME number` (the number in the paper), `NAME metric`, `NAME rows` and
    `NAME error` (standard error). The keys of the first measure are also available as
    `first text` and so on.
    """
    table, results = find_table(name), checkout / "results"
    runs, _ = find_finished_runs(
        plan_runs(table, preset, seeds, checkout), results, results
    )
    records = []
    for row, ours in zip(
        table.rows, compare_rows(table, runs, results, preset), strict=True
    ):
        if row.name not in runs:
            continue
        ours["task"] = table.title.split(" (")[0]
        ours["name"] = row.name.removesuffix(" (not in this paper)")
        ours["seeds"] = ", ".join(map(str, ours["seeds"]))
        ours["commit"] = ", ".join(ours["commits"])
        for measure in table.measures:
            key, metric = measure.name, measure.metric
            mean, rows = ours[f"{key} ours"], ours[f"{key} {metric.unit}"]
            paper = ours[f"{key} paper"]
            described = {
                "text": format_ours(measure, ours),
                "printed": paper or "-",
                "number": "-" if paper is None else f"{float(paper):g}",
                "metric": metric.key,
                "rows": rows,
            }
            if mean is not None and metric.key == "accuracy":
                described["error"] = (mean * (100 - mean) / rows) ** 0.5
            for suffix, value in described.items():
                ours[f"{key} {suffix}"] = value
                if measure is table.measures[0]:
                    ours[f"first {suffix}"] = value
        records.append(ours)
    return records

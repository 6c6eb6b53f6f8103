"""What a card says of a run, as Markdown: facts, data, numbers."""

import collections
import math

from dsa.hub.data_terms import count_official_rows
from dsa.system.terminal import escape_controls
from dsa.system.text_tables import markdown_table
from dsa.tasks.task import count_units

METRICS = {  # of an evaluation: its standard error's name
    "accuracy": "standard_error",
    "macro_f1": None,
    "f1": "f1_standard_error",
    "pearson": None,
    "spearman": None,
    "mse": None,
    "map": "map_standard_error",
    "mrr": "mrr_standard_error",
}


def list_evaluations(run):
    """The last evaluation of each file of a `RunFolder`, see `own_metrics`, and how
    many there were, of other weights too.

    Returns: a list of `(entry, count)`.
    """
    task = run.experiment().task
    counts = collections.Counter(key for key, _ in _rate(run.metrics(), task))
    last = dict(_rate(run.own_metrics(), task))
    return [(entry, counts[key]) for key, entry in last.items()]


def _rate(entries, task):
    """Those of some entries that have the metric, each after what names its file."""
    for entry in entries:
        counted = type(entry.get("count")) is int
        if not counted or type(count_units(task, entry)) is not int:
            continue
        if is_number(entry.get(task.selects)):
            file = str(entry.get("sha256", entry.get("file")))
            yield (str(entry["split"]), file), entry


def is_number(value):
    """Whether a value of a JSON file is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)


def write_results(run):
    """The evaluations of a `RunFolder` as a table: the metric that selects with its
    standard error, of how many rows, and how often the file was evaluated."""
    task = run.experiment().task
    rows = [
        [
            clean(entry["split"]),
            clean(entry.get("file", "-")),
            f"{count_units(task, entry):,}",
            _write_metric(task.selects, entry),
            str(count),
        ]
        for entry, count in list_evaluations(run)
    ]
    header = ["split", "file", task.unit, "measured", "evaluations"]
    return markdown_table(header, rows)


def _write_metric(name, entry):
    error = entry.get(METRICS.get(name))
    spread = f" +- {error:.4f}" if is_number(error) else ""
    return f"{name} {entry[name]:.4f}{spread}"


def write_facts(run):
    """What a `RunFolder` was trained for and on, as a list."""
    experiment, environment = run.experiment(), run.environment()
    task, data = experiment.task, experiment.data
    facts = [
        f"task: {task.rows}, {clean(task.answers)}",
        f"trained on: {write_training_rows(data, environment)}",
        f"seed: {experiment.seed}",
        f"words: {environment.get('vocabulary_size', 0):,}",
    ]
    return "\n".join(f"- {fact}" for fact in [*facts, *_list_caveats(data)])


def write_training_rows(data, environment):
    """How many rows of which file, and whether they are a part of the corpus only.

    Args:
        data: the `DataConfig`.
        environment: what `environment.json` holds.
    """
    rows, whole = environment.get("pairs", {}).get("train"), count_official_rows(data)
    if type(rows) is not int:
        return f"`{clean(data.train)}`"
    text = f"{rows:,} rows of `{clean(data.train)}`"
    if whole and rows < whole:
        share = f"{rows / whole:.0%} of the {whole:,} of {data.corpus}"
        on_purpose = data.dealt or data.train_questions != "all"  # the rest is left out
        text += f", {share}" if on_purpose else f", **{share}: partial data**"
    mixed = environment["pairs"].get("mix")
    if data.mix and type(mixed) is int:
        text += f", and {mixed:,} of `{clean(data.mix.path)}`"
    return text


def _list_caveats(data):
    """What makes numbers of a run too good."""
    if data.select_on_test:
        yield "**the checkpoint was selected on the test split**"
    if data.train_on_dev:
        yield "**training had the rows of dev**: its numbers there are of learned rows"
    if data.folds:
        yield f"fold {data.folds.fold} of {data.folds.count}, counted from 0"


def clean(text):
    """A text of a file for a table or a line of Markdown."""
    return escape_controls(" ".join(str(text).split())).replace("|", "\\|")

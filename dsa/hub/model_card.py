"""Writes the model card of a run: metadata for the hub, and a text in Markdown.

The template of the text is `model_card.md`.
"""

import collections
import math
import re
import string
from importlib import resources
from typing import Any

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.corpora.corpus import OWN_CORPUS
from dsa.data.words.vocabulary import FIRST_WORD
from dsa.errors import InputError
from dsa.experiment.data_config import DataConfig
from dsa.hub.data_terms import (
    BUNDLED,
    UNKNOWN_TERMS,
    count_official_rows,
    find_evaluated_corpus,
    get_corpus_name,
    list_licences,
)
from dsa.hub.releases import RELEASES
from dsa.hub.repository import import_hub
from dsa.parsing import shorten
from dsa.runs.run_folder import RunFolder
from dsa.system.terminal import escape_controls
from dsa.system.text_tables import format_markdown_table
from dsa.tasks.task import SINGLE, Task, count_units

# metric in `metrics.json` -> (metric on the hub, key of the standard error)
HUB_METRICS = {
    "accuracy": ("accuracy", "standard_error"),
    "macro_f1": ("f1", None),
    "f1": ("f1", "f1_standard_error"),
    "pearson": ("pearsonr", None),
    "spearman": ("spearmanr", None),
    "mse": ("mse", None),
    "map": ("map", "map_standard_error"),
    "mrr": ("mrr", "mrr_standard_error"),
}
# selection metric of the task -> task on the hub
HUB_TASKS = {"map": "text-ranking", "pearson": "sentence-similarity"}
DEFAULT_HUB_TASK = "text-classification"
CORPUS_TITLES = {BUNDLED: "the bundled corpus of dsa", OWN_CORPUS: "own data"}
LICENCE_PATTERN = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")  # such as `apache-2.0`
# example inputs in the card, as Python code
PAIR_EXAMPLE = '("A man sleeps.", "Nobody is awake.")'
QUESTION_EXAMPLE = '("Who wrote it?", "A poet wrote it.")'
SENTENCE_EXAMPLE = '"A man sleeps."'


def check_licence(licence: str | None) -> None:
    """Raises `InputError` if the identifier of a licence is malformed. The hub checks
    whether the licence exists."""
    if licence is not None and not LICENCE_PATTERN.fullmatch(licence):
        raise InputError(
            "--licence must be an identifier such as apache-2.0. Received: "
            f"{shorten(licence)}"
        )


def format_model_card(run: RunFolder, name: str, licence: str | None = None) -> str:
    """Returns the model card of a run with metadata, as Markdown.

    Args:
        run: the run.
        name: `user/name` of the repository.
        licence: identifier of the model's licence; `None` for a card without a licence.

    Raises: `InputError` if huggingface_hub is not installed.
    """
    hub = import_hub()
    experiment = run.experiment()
    corpus = get_corpus_name(experiment.data)
    data = hub.ModelCardData(
        language="en" if corpus in (*CORPORA, BUNDLED) else None,
        license=licence,
        library_name="dsa",
        pipeline_tag=HUB_TASKS.get(experiment.task.selects, DEFAULT_HUB_TASK),
        tags=["dsa", "keras", experiment.model.name],
        model_name=name.split("/")[1],
        eval_results=[hub.EvalResult(**result) for result in list_results(run)],
    )
    return f"---\n{data.to_yaml()}\n---\n\n{format_body(run, name)}"


def list_results(run: RunFolder) -> list[dict[str, Any]]:
    """Returns the arguments of `huggingface_hub.EvalResult` for each metric of each
    evaluation of a run."""
    experiment = run.experiment()
    task = experiment.task
    results = []
    for entry, _ in _list_evaluations(run):
        for metric, (hub_name, error_key) in HUB_METRICS.items():
            if metric not in entry:
                continue
            arguments = {task.unit: count_units(task, entry), "seed": experiment.seed}
            if error_key is not None and error_key in entry:
                arguments["standard_error"] = entry[error_key]
            results.append(
                {
                    "task_type": HUB_TASKS.get(task.selects, DEFAULT_HUB_TASK),
                    "dataset_type": find_evaluated_corpus(entry, experiment.data),
                    "dataset_name": escape_line(entry.get("file", entry["split"])),
                    "dataset_split": escape_line(entry["split"]),
                    "dataset_revision": str(entry.get("sha256", "")) or None,
                    "metric_type": hub_name,
                    "metric_name": metric,
                    "metric_value": entry[metric],
                    "metric_args": arguments,
                }
            )
    return results


def format_body(run: RunFolder, name: str) -> str:
    """Returns the text of the model card of a run, as Markdown without metadata.

    Args:
        run: the run.
        name: `user/name` of the repository.
    """
    experiment = run.experiment()
    environment = run.environment()
    task = experiment.task
    size = ""
    num_weights = environment.get("parameters", {}).get("trainable_without_embeddings")
    if num_weights:
        size = f", {num_weights:,} trainable parameters without word vectors"
    changes = ""
    if environment.get("uncommitted_changes"):
        changes = " with uncommitted changes"
    terms = []
    licences = list_licences(experiment.data, experiment.embedding.path)
    for path, licence in licences.items():
        terms.append(f"- `{escape_line(path)}`: {licence}")
    source = experiment.training.start_from
    if source:
        known = RELEASES.get(source)
        source_terms = known.terms if known else UNKNOWN_TERMS
        terms.append(f"- initial weights, `{escape_line(source)}`: {source_terms}")
    row = _choose_example_row(task)
    if experiment.family.encodes:
        vectors = f"model.encode([{SENTENCE_EXAMPLE}])"
        last_line = f"print({vectors}.shape)  # a vector per sentence"
    else:
        last_line = f"print(model.explain({row.strip('()')}))  # attention maps"
    template = resources.files("dsa.hub") / "model_card.md"
    return string.Template(template.read_text(encoding="utf-8")).substitute(
        name=name,
        model=experiment.model.name,
        corpus=describe_corpus(experiment.data),
        paper=experiment.family.paper,
        size=size,
        version=escape_line(environment.get("dsa")),
        commit=escape_line(environment.get("commit")),
        changes=changes,
        device=escape_line(environment.get("device")),
        backend=escape_line(environment.get("backend")),
        backend_version=escape_line(environment.get("backend_version")),
        facts=format_facts(run),
        results=format_results(run),
        seed=experiment.seed,
        terms="\n".join(terms),
        row=row,
        answers=escape_line(task.answers),
        last_line=last_line,
    )


def describe_corpus(data: DataConfig) -> str:
    """Returns the training corpus as text, such as "snli" or "own data"."""
    name = get_corpus_name(data)
    return CORPUS_TITLES.get(name, name)


def _choose_example_row(task: Task) -> str:
    """Returns an example input of a task, as Python code."""
    if task.inputs == SINGLE:
        return SENTENCE_EXAMPLE
    if task.ranks:
        return QUESTION_EXAMPLE
    return PAIR_EXAMPLE


def format_facts(run: RunFolder) -> str:
    """Returns a Markdown list of the task, the training data, the seed and the size of
    the vocabulary."""
    experiment = run.experiment()
    environment = run.environment()
    task = experiment.task
    data = experiment.data
    facts = [
        f"task: {task.rows}, {escape_line(task.answers)}",
        f"trained on: {describe_training_rows(data, environment)}",
        f"seed: {experiment.seed}",
    ]
    if "vocabulary_size" in environment:
        num_words = environment["vocabulary_size"] - FIRST_WORD
        facts.append(f"vocabulary: {num_words:,} words")
    source = experiment.training.start_from
    if source:
        facts.append(f"initial weights: `{escape_line(source)}`")
    if data.view:
        facts.append(
            f"**view: {data.view}**: the model was trained and evaluated on a part of "
            "each row"
        )
    if data.select_on_test:
        facts.append("**the checkpoint was selected on the test split**")
    if data.train_on_dev:
        facts.append(
            "**dev was part of the training data**: the dev metrics are measured on "
            "training rows"
        )
    if data.folds:
        folds = data.folds
        facts.append(f"fold {folds.fold} of {folds.count}, counted from 0")
    return "\n".join(f"- {fact}" for fact in facts)


def describe_training_rows(data: DataConfig, environment: dict[str, Any]) -> str:
    """Returns the number and the file of the training rows, and their share of the
    corpus if the rows are a part of it.

    Args:
        data: section `data` of the experiment.
        environment: content of `environment.json`.
    """
    num_rows = environment.get("pairs", {})  # by split
    if "train" not in num_rows:
        return f"`{escape_line(data.train)}`"
    num_train = num_rows["train"]
    num_official = count_official_rows(data)
    text = f"{num_train:,} rows of `{escape_line(data.train)}`"
    if num_official and num_train < num_official:
        percent = min(100 * num_train / num_official, 99.9)  # part of the rows
        share = f"{percent:.1f} % of the {num_official:,} rows of {data.corpus}"
        is_divided = data.divided_file == data.train
        is_selected = is_divided or data.training_options.selects_rows
        if is_selected and data.train_rows is None:
            text += f", {share}"
        else:
            text += f", **{share}: partial data**"
    if data.mix and "mix" in num_rows:
        text += f", and {num_rows['mix']:,} of `{escape_line(data.mix.path)}`"
    return text


def format_results(run: RunFolder) -> str:
    """Returns the evaluations of a run as a Markdown table.

    The columns are the split, the file, the number of rows or questions, the selection
    metric with its standard error, and the number of evaluations of the file.
    """
    experiment = run.experiment()
    task, metric = experiment.task, experiment.dev_metric
    _, error_key = HUB_METRICS.get(metric, (None, None))
    rows = []
    for entry, num_evaluations in _list_evaluations(run):
        value = f"{metric} {entry[metric]:.4f}"
        if error_key is not None and error_key in entry:
            value += f" +- {entry[error_key]:.4f}"
        rows.append(
            [
                escape_line(entry["split"]),
                escape_line(entry.get("file", "-")),
                f"{count_units(task, entry):,}",
                value,
                str(num_evaluations),
            ]
        )
    header = ["split", "file", task.unit, "measured", "evaluations"]
    return format_markdown_table(header, rows)


def escape_line(value: Any) -> str:
    """Converts a value to a text on one line, with escaped control characters."""
    return escape_controls(" ".join(str(value).split()))


def _list_evaluations(run: RunFolder) -> list[tuple[dict[str, Any], int]]:
    """Lists the evaluated files of a run. Incomplete evaluations are ignored.

    Returns: for each file, its last evaluation with the current weights, and the number
        of its evaluations with any weights.
    """
    metric = run.experiment().dev_metric
    num_evaluations: collections.Counter[tuple[str, str]] = collections.Counter()
    for entry in run.metrics():
        if _is_complete(entry, metric):
            num_evaluations[_make_file_key(entry)] += 1
    last_entries = {}
    for entry in run.current_evaluations():
        if _is_complete(entry, metric):
            last_entries[_make_file_key(entry)] = entry
    return [(entry, num_evaluations[key]) for key, entry in last_entries.items()]


def _is_complete(entry: dict[str, Any], metric: str) -> bool:
    """Returns whether an evaluation has a number of rows and a finite metric."""
    return "count" in entry and math.isfinite(entry.get(metric, math.nan))


def _make_file_key(entry: dict[str, Any]) -> tuple[str, str]:
    """Returns the split of an evaluation and the fingerprint or name of its file."""
    return str(entry["split"]), str(entry.get("sha256", entry.get("file")))

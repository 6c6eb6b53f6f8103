"""Model card of a run: metadata for the hub, and the template `model_card.md`."""

import collections
import math
import re
import string
from importlib import resources
from typing import Any

from dsa.data.corpora.catalogue import CORPORA, find_corpus
from dsa.data.corpora.corpus import OWN
from dsa.errors import InputError
from dsa.experiment.data_config import DataConfig
from dsa.hub.data_terms import BUNDLED, count_official_rows, list_terms
from dsa.hub.repository import import_hub
from dsa.parsing import shorten
from dsa.runs.run_folder import RunFolder
from dsa.system.terminal import escape_controls
from dsa.system.text_tables import format_markdown_table
from dsa.tasks.task import SINGLE, count_units

# key in `metrics.json` -> (name on the hub, key of the standard error)
METRICS = {
    "accuracy": ("accuracy", "standard_error"),
    "macro_f1": ("f1", None),
    "f1": ("f1", "f1_standard_error"),
    "pearson": ("pearsonr", None),
    "spearman": ("spearmanr", None),
    "mse": ("mse", None),
    "map": ("map", "map_standard_error"),
    "mrr": ("mrr", "mrr_standard_error"),
}
HUB_TASKS = {"map": "text-ranking", "pearson": "sentence-similarity"}
OTHER_TASK = "text-classification"
CORPUS_TITLES = {BUNDLED: "the bundled corpus of dsa", OWN: "own data"}
LICENCE = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")  # such as `apache-2.0`
# example rows in the card
PAIR = '("A man sleeps.", "Nobody is awake.")'
QUESTION = '("Who wrote it?", "A poet wrote it.")'
SENTENCE = '"A man sleeps."'


def check_licence(licence: str | None) -> None:
    """Raises `InputError` for a malformed identifier of a licence. Whether the licence
    exists is checked by the hub."""
    if licence is not None and not LICENCE.fullmatch(licence):
        raise InputError(
            "--licence must be an identifier such as apache-2.0. Received: "
            f"{shorten(licence)}"
        )


def write_model_card(run: RunFolder, name: str, licence: str | None = None) -> str:
    """Returns the model card of a run with metadata, as Markdown.

    Args:
        run: the run.
        name: `user/name` of the repository.
        licence: licence of the model; `None` for a card without a licence.

    Raises: `InputError` if huggingface_hub is not installed.
    """
    hub, experiment = import_hub(), run.experiment()
    data = hub.ModelCardData(
        language="en" if experiment.data.corpus in CORPORA else None,
        license=licence,
        library_name="dsa",
        pipeline_tag=HUB_TASKS.get(experiment.task.selects, OTHER_TASK),
        tags=["dsa", "keras", experiment.model.name],
        model_name=name.split("/")[1],
        eval_results=[hub.EvalResult(**result) for result in list_results(run)],
    )
    return f"---\n{data.to_yaml()}\n---\n\n{write_body(run, name)}"


def list_results(run: RunFolder) -> list[dict[str, Any]]:
    """Returns the arguments of the hub's `EvalResult` for each metric of a run."""
    experiment = run.experiment()
    task = experiment.task
    results = []
    for entry, _ in _list_evaluations(run):
        size = {task.unit: count_units(task, entry), "seed": experiment.seed}
        for metric, (hub_name, error) in METRICS.items():
            if metric not in entry:
                continue
            arguments = dict(size)
            if error in entry:
                arguments["standard_error"] = entry[error]
            results.append(
                {
                    "task_type": HUB_TASKS.get(task.selects, OTHER_TASK),
                    "dataset_type": _name_data(experiment.data),
                    "dataset_name": clean(entry.get("file", entry["split"])),
                    "dataset_split": clean(entry["split"]),
                    "dataset_revision": str(entry.get("sha256", "")) or None,
                    "metric_type": hub_name,
                    "metric_name": metric,
                    "metric_value": entry[metric],
                    "metric_args": arguments,
                }
            )
    return results


def write_body(run: RunFolder, name: str) -> str:
    """Returns the model card of a run without metadata, as Markdown; `name` is the
    `user/name` of the repository."""
    experiment, environment = run.experiment(), run.environment()
    task, corpus = experiment.task, _name_data(experiment.data)
    weights = environment.get("parameters", {}).get("trainable_without_embeddings")
    size = f", {weights:,} parameters without word vectors" if weights else ""
    has_changes = environment.get("uncommitted_changes")
    terms = list_terms(experiment.data, experiment.embedding.path).items()
    row = _choose_example_row(task)
    last_line = f"print(model.explain({row.strip('()')}))  # attention maps"
    if experiment.family.encodes:
        last_line = f"print(model.encode([{SENTENCE}]).shape)  # a vector per sentence"
    template = resources.files("dsa.hub") / "model_card.md"
    return string.Template(template.read_text(encoding="utf-8")).substitute(
        name=name,
        model=experiment.model.name,
        corpus=CORPUS_TITLES.get(corpus, corpus),
        paper=experiment.family.paper,
        size=size,
        version=clean(environment.get("dsa")),
        commit=clean(environment.get("commit")),
        changes=" with uncommitted changes" if has_changes else "",
        device=clean(environment.get("device")),
        backend=clean(environment.get("backend")),
        backend_version=clean(environment.get("backend_version")),
        facts=write_facts(run),
        results=write_results(run),
        seed=experiment.seed,
        terms="\n".join(f"- `{clean(file)}`: {licence}" for file, licence in terms),
        row=row,
        answers=clean(task.answers),
        last_line=last_line,
    )


def _choose_example_row(task):
    """Returns an input row of the task as Python code."""
    if task.inputs == SINGLE:
        return SENTENCE
    return QUESTION if task.ranks else PAIR


def write_facts(run: RunFolder) -> str:
    """Returns the task, the training data, the seed and the size of the vocabulary as a
    Markdown list."""
    experiment, environment = run.experiment(), run.environment()
    task, data = experiment.task, experiment.data
    facts = [
        f"task: {task.rows}, {clean(task.answers)}",
        f"trained on: {write_training_rows(data, environment)}",
        f"seed: {experiment.seed}",
        f"words: {environment.get('vocabulary_size', 0):,}",
    ]
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


def write_training_rows(data: DataConfig, environment: dict[str, Any]) -> str:
    """Returns a description of the training rows, with their share of a partial corpus.

    Args:
        data: section `data` of the experiment.
        environment: content of `environment.json`.
    """
    pairs, official = environment.get("pairs", {}), count_official_rows(data)
    if "train" not in pairs:
        return f"`{clean(data.train)}`"
    rows = pairs["train"]
    text = f"{rows:,} rows of `{clean(data.train)}`"
    if official and rows < official:
        share = f"{rows / official:.0%} of the {official:,} of {data.corpus}"
        is_intended = data.divided_file or data.training_options.selects_rows
        text += f", {share}" if is_intended else f", **{share}: partial data**"
    if data.mix and "mix" in pairs:
        text += f", and {pairs['mix']:,} of `{clean(data.mix.path)}`"
    return text


def write_results(run: RunFolder) -> str:
    """Returns the evaluations of a run as a Markdown table.

    The columns are the split, the file, the number of units, the selection metric with
    its standard error, and the number of evaluations of the file.
    """
    task = run.experiment().task
    _, error = METRICS.get(task.selects, (None, None))
    lines = []
    for entry, evaluations in _list_evaluations(run):
        value = f"{task.selects} {entry[task.selects]:.4f}"
        if error in entry:
            value += f" +- {entry[error]:.4f}"
        lines.append(
            [
                clean(entry["split"]),
                clean(entry.get("file", "-")),
                f"{count_units(task, entry):,}",
                value,
                str(evaluations),
            ]
        )
    header = ["split", "file", task.unit, "measured", "evaluations"]
    return format_markdown_table(header, lines)


def clean(text: Any) -> str:
    """Returns a text on one line, with escaped control characters."""
    return escape_controls(" ".join(str(text).split()))


def _list_evaluations(run: RunFolder) -> list[tuple[dict[str, Any], int]]:
    """Returns the last evaluation of each file with the current weights, and the number
    of evaluations of the file with any weights."""
    metric = run.experiment().task.selects

    def identify(entry: dict[str, Any]) -> tuple[str, str]:
        return str(entry["split"]), str(entry.get("sha256", entry.get("file")))

    def is_complete(entry: dict[str, Any]) -> bool:
        return "count" in entry and math.isfinite(entry.get(metric, math.nan))

    counts = collections.Counter(map(identify, filter(is_complete, run.metrics())))
    last = {identify(entry): entry for entry in filter(is_complete, run.own_metrics())}
    return [(entry, counts[key]) for key, entry in last.items()]


def _name_data(data: DataConfig) -> str:
    """Returns the name of the training corpus; `BUNDLED` or `OWN` for a file that is
    not in the folder of a corpus."""
    if find_corpus(data.train):
        return data.corpus
    return BUNDLED if data.train.split("/")[0] == BUNDLED else OWN

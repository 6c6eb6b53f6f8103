"""The card of a run: what it is, what was measured, and how to use it."""

import collections
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from dsa.config_section import shorten
from dsa.data.corpora.catalogue import CORPORA, find_corpus
from dsa.data.corpora.corpus import OWN
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig
from dsa.hub.data_terms import BUNDLED, count_official_rows, list_terms
from dsa.hub.repository import import_hub
from dsa.runs.run_folder import RunFolder
from dsa.system.terminal import escape_controls
from dsa.system.text_tables import markdown_table
from dsa.tasks.task import SINGLE, count_units

METRICS = {  # of an evaluation: the hub's name, and that of the standard error
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
LICENCE = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")  # `apache-2.0`
PAIR = '("A man sleeps.", "Nobody is awake.")'
QUESTION = '("Who wrote it?", "A poet wrote it.")'
SENTENCE = '"A man sleeps."'


def check_licence(licence: str | None) -> None:
    """Raises `InputError` for what cannot be a licence's identifier; which ones there
    are, the hub knows."""
    if licence is not None and not LICENCE.fullmatch(licence):
        raise InputError(
            f"--licence: no identifier of the hub's, such as apache-2.0: "
            f"{shorten(licence)}"
        )


def write_model_card(run: RunFolder, name: str, licence: str | None = None) -> str:
    """The card of a run with the hub's metadata, as Markdown.

    Args:
        run: the `RunFolder`.
        name: `user/name` of the repository.
        licence: of the model, for the metadata; `None` for none.

    Raises: `InputError` without the package huggingface_hub.
    """
    hub, experiment = import_hub(), run.experiment()
    data = hub.ModelCardData(
        language="en" if experiment.data.corpus in CORPORA else None,
        license=licence,
        library_name="dsa",
        pipeline_tag=_name_task(experiment.task),
        tags=["dsa", "keras", experiment.model.name],
        model_name=name.split("/")[1],
        eval_results=[hub.EvalResult(**result) for result in list_results(run)],
    )
    return f"---\n{data.to_yaml()}\n---\n\n{write_body(run, name)}"


def list_results(run: RunFolder) -> list[dict[str, Any]]:
    """The evaluations of a run as the arguments of the hub's `EvalResult`, one
    dictionary per metric."""
    experiment = run.experiment()
    task = experiment.task
    return [
        {
            "task_type": _name_task(task),
            "dataset_type": _name_data(experiment.data),
            "dataset_name": clean(entry.get("file", entry["split"])),
            "dataset_split": clean(entry["split"]),
            "dataset_revision": str(entry.get("sha256", "")) or None,
            "metric_type": hub_name,
            "metric_name": metric,
            "metric_value": entry[metric],
            "metric_args": {
                task.unit: count_units(task, entry),
                "seed": experiment.seed,
                **({"standard_error": entry[error]} if error in entry else {}),
            },
        }
        for entry, _ in _list_evaluations(run)
        for metric, (hub_name, error) in METRICS.items()
        if _is_number(entry.get(metric))
    ]


def write_body(run: RunFolder, name: str) -> str:
    """The card of a run without metadata, as Markdown; `name` as `write_model_card`."""
    experiment, environment = run.experiment(), run.environment()
    trained = environment.get("parameters", {}).get("trainable_without_embeddings")
    is_known = type(trained) is int and trained > 0
    sizes = f", {trained:,} parameters without word vectors" if is_known else ""
    changed = environment.get("uncommitted_changes")
    state = " with uncommitted changes" if changed else ""
    terms = "\n".join(
        f"- `{clean(file)}`: {terms}" for file, terms in list_terms(experiment).items()
    )
    data = _name_data(experiment.data)
    words = {BUNDLED: "the bundled corpus of dsa", OWN: "own data"}.get(data, data)
    return f"""# {experiment.model.name}, trained on {words}

The model `{experiment.model.name}` ({experiment.family.paper}){sizes}, trained with the
Python package `dsa` {clean(environment.get("dsa"))}, commit
`{clean(environment.get("commit"))}`{state}, on {clean(environment.get("device"))}, by
{clean(environment.get("backend"))} {clean(environment.get("backend_version"))}.

{write_facts(run)}

## Results

{write_results(run)}

This is one run: its seed, {experiment.seed}, is part of the result, and so is every
setting in `config.yaml`. "+-" is the standard error. Every evaluation is in
`metrics.json`, with its date; "evaluations" counts how often the file was evaluated.

## Terms of the data

{terms}

## Use

`pip install "dsa-nli[tensorflow,hub]"` installs what is needed; in a checkout of `dsa`,
`pip install ".[tensorflow,hub]"`.

```python
{write_example(experiment, name)}
```
"""


def write_facts(run: RunFolder) -> str:
    """The task, training data, seed and vocabulary of a run, as a Markdown list."""
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
            "**dev was part of the training data**: dev numbers are measured on rows "
            "the model was trained on"
        )
    if data.folds:
        folds = data.folds
        facts.append(f"fold {folds.fold} of {folds.count}, counted from 0")
    return "\n".join(f"- {fact}" for fact in facts)


def write_training_rows(data: DataConfig, environment: dict[str, Any]) -> str:
    """How many rows of which file a run was trained on, and whether they are a part of
    the corpus only; `environment` is what `environment.json` holds."""
    rows, whole = environment.get("pairs", {}).get("train"), count_official_rows(data)
    if type(rows) is not int:
        return f"`{clean(data.train)}`"
    text = f"{rows:,} rows of `{clean(data.train)}`"
    if whole and rows < whole:
        share = f"{rows / whole:.0%} of the {whole:,} of {data.corpus}"
        on_purpose = data.dealt or data.training_options.selects_rows
        text += f", {share}" if on_purpose else f", **{share}: partial data**"
    mixed = environment["pairs"].get("mix")
    if data.mix and type(mixed) is int:
        text += f", and {mixed:,} of `{clean(data.mix.path)}`"
    return text


def write_results(run: RunFolder) -> str:
    """The evaluations of a run as a Markdown table: the metric that selects with its
    standard error, of how many rows, and how often the file was evaluated."""
    task = run.experiment().task
    rows = []
    for entry, count in _list_evaluations(run):
        error = entry.get(METRICS.get(task.selects, (None, None))[1])
        spread = f" +- {error:.4f}" if _is_number(error) else ""
        measured = f"{task.selects} {entry[task.selects]:.4f}{spread}"
        names = clean(entry["split"]), clean(entry.get("file", "-"))
        rows.append([*names, f"{count_units(task, entry):,}", measured, str(count)])
    return markdown_table(["split", "file", task.unit, "measured", "evaluations"], rows)


def write_example(experiment: Experiment, name: str) -> str:
    """Six lines of Python that use a run; `name`: `user/name` of its repository."""
    task = experiment.task
    row = SENTENCE if task.inputs == SINGLE else QUESTION if task.ranks else PAIR
    arguments = row.strip("()")
    look = (
        f"print(model.encode([{SENTENCE}]).shape)  # a vector of each sentence"
        if experiment.family.encodes
        else f"print(model.explain({arguments}))  # what it looked at"
    )
    return f"""import dsa

model = dsa.load("hf://{name}")
print(model)  # what it is
(answer,) = model.predict([{row}])
print(answer)  # {clean(task.answers)}
{look}"""


def clean(text: Any) -> str:
    """A text of a file for a table or a line of Markdown."""
    return escape_controls(" ".join(str(text).split())).replace("|", "\\|")


def _list_evaluations(run: RunFolder) -> list[tuple[dict[str, Any], int]]:
    """The last evaluation of each file, see `own_metrics`, and how many there were, of
    other weights too."""
    task = run.experiment().task
    counts = collections.Counter(key for key, _ in _name_files(run.metrics(), task))
    last = dict(_name_files(run.own_metrics(), task))
    return [(entry, counts[key]) for key, entry in last.items()]


def _name_files(
    entries: Iterable[dict[str, Any]], task: Any
) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """The evaluations that have the metric, each with split and file as its key."""
    for entry in entries:
        counted = type(entry.get("count")) is int
        counted = counted and type(count_units(task, entry)) is int
        if counted and _is_number(entry.get(task.selects)):
            file = str(entry.get("sha256", entry.get("file")))
            yield (str(entry["split"]), file), entry


def _is_number(value: Any) -> bool:
    """Whether a value of a JSON file is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)


def _name_data(data: DataConfig) -> str:
    """The corpus of a training file in one word, by its folder."""
    if find_corpus(data.train):
        return data.corpus
    return BUNDLED if data.train.split("/")[0] == BUNDLED else OWN


def _name_task(task: Any) -> str:
    """What the hub calls a task."""
    return HUB_TASKS.get(task.selects, "text-classification")

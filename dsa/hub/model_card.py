"""The card of a repository: what a run is, what was measured, and how to use it."""

import re

from dsa.config_section import shorten
from dsa.data.corpora.catalogue import CORPORA
from dsa.data.corpora.own import OWN
from dsa.errors import InputError
from dsa.hub.card_text import (
    METRICS,
    clean,
    is_number,
    list_evaluations,
    write_facts,
    write_results,
)
from dsa.hub.connection import import_hub
from dsa.hub.data_terms import BUNDLED, SOURCE_OF_FOLDER, list_terms
from dsa.tasks.task import SINGLE, count_units

HUB_TASKS = {"map": "text-ranking", "pearson": "sentence-similarity"}
HUB_METRICS = {"macro_f1": "f1", "pearson": "pearsonr", "spearman": "spearmanr"}
PAIR = '("A man sleeps.", "Nobody is awake.")'
QUESTION = '("Who wrote it?", "A poet wrote it.")'
LICENCE = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")  # `apache-2.0`
SENTENCE = '"A man sleeps."'


def write_model_card(run, name, licence=None):
    """The card of a `RunFolder` with the hub's metadata, as Markdown.

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


def check_licence(licence):
    """Raises an error for what cannot be a licence's identifier; which ones there are,
    the hub knows.

    Raises: `InputError`.
    """
    if licence is not None and not LICENCE.fullmatch(licence):
        raise InputError(
            f"--licence: no identifier of the hub's, such as apache-2.0: "
            f"{shorten(licence)}"
        )


def list_results(run):
    """The evaluations of a `RunFolder` as the arguments of the hub's `EvalResult`, a
    list of dictionaries, one a metric."""
    experiment = run.experiment()
    task = experiment.task
    return [
        {
            "task_type": _name_task(task),
            "dataset_type": _name_data(experiment.data),
            "dataset_name": clean(entry.get("file", entry["split"])),
            "dataset_split": clean(entry["split"]),
            "dataset_revision": str(entry.get("sha256", "")) or None,
            "metric_type": HUB_METRICS.get(metric, metric),
            "metric_name": metric,
            "metric_value": entry[metric],
            "metric_args": {
                task.unit: count_units(task, entry),
                "seed": experiment.seed,
                **({"standard_error": entry[error]} if error in entry else {}),
            },
        }
        for entry, _ in list_evaluations(run)
        for metric, error in METRICS.items()
        if is_number(entry.get(metric))
    ]


def write_body(run, name):
    """The card of a `RunFolder` without metadata, as Markdown.

    Args:
        run, name: see `write_model_card`.
    """
    experiment, environment = run.experiment(), run.environment()
    parameters = environment.get("parameters", {})
    trained = parameters.get("trainable_without_embeddings")
    is_known = type(trained) is int and trained > 0
    sizes = f", {trained:,} parameters without word vectors" if is_known else ""
    changed = environment.get("uncommitted_changes")
    state = " with changes that are not committed" if changed else ""
    terms = "\n".join(
        f"- `{clean(file)}`: {terms}" for file, terms in list_terms(experiment).items()
    )
    return f"""# {experiment.model.name}, trained on {_describe_data(experiment.data)}

The model `{experiment.model.name}` ({experiment.family.paper}){sizes}, trained with the
Python package `dsa` {clean(environment.get("dsa"))}, commit
`{clean(environment.get("commit"))}`{state}, on {clean(environment.get("device"))}, by
{clean(environment.get("backend"))} {clean(environment.get("backend_version"))}.

{write_facts(run)}

## Results

{write_results(run)}

This is one run: its seed, {experiment.seed}, is part of the result, and so is every
setting in `config.yaml`. "+-" is the standard error. Every evaluation is in
`metrics.json`, with its date; "evaluations" says how often the file was used.

## Terms of the data

{terms}

## Use

In a checkout of `dsa`, `pip install ".[tensorflow,hub]"` installs what is needed.

```python
{write_example(experiment, name)}
```
"""


def write_example(experiment, name):
    """Six lines of Python that use a run.

    Args:
        experiment: its `Experiment`.
        name: `user/name` of the repository.
    """
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


def _describe_data(data):
    """What the training file is, in words."""
    name = _name_data(data)
    return {BUNDLED: "the bundled corpus of dsa", OWN: "own data"}.get(name, name)


def _name_data(data):
    """The corpus of a training file in one word, by its folder."""
    folder = data.train.split("/")[0]
    if folder in SOURCE_OF_FOLDER:
        return data.corpus
    return folder if folder == BUNDLED else OWN


def _name_task(task):
    """What the hub calls a task."""
    return HUB_TASKS.get(task.selects, "text-classification")

"""Evaluations of a run on its splits, and what is recorded of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.data.prepared.views import EVALUATION_VIEWS, PLAIN, format_evaluation_name
from dsa.errors import InputError
from dsa.evaluation.answers import pack_answers, write_answers
from dsa.evaluation.splits import find_split, measure_train_share
from dsa.inference.row_reading import measure_labelled_rows, read_labelled_rows
from dsa.system import environment
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    import numpy as np

    from dsa.data.prepared.corpus import PreparedCorpus
    from dsa.data.prepared.views import View
    from dsa.inference.trained_model import TrainedModel
    from dsa.tasks.task import Task


Entry = dict[str, Any]  # of `metrics.json`


def evaluate(  # noqa: PLR0913
    trained: TrainedModel,
    root: Path | str,
    split: str = "dev",
    file: Path | str | None = None,
    record: bool = True,
    predictions: Path | str | None = None,
    show: Callable[[Entry], object] | None = None,
    view: str | None = None,
    keep_answers: bool = False,
) -> Entry:
    """Evaluates a run's selected weights on a split, appends the result to the run's
    `metrics.json`, and shows it.

    Args:
        root: the data root.
        split: "dev", "test", "train" or one of the `data.others` of the run's config.
        file: a file instead, in the run's corpus format; where it is missing, it is
            looked for below the data root. If it is the file of a split, the entry says
            so.
        record: whether the run's `metrics.json` gets the entry.
        predictions: a file for the answers, a JSON line for each labelled row; `None`
            for none.
        show: a function of the entry that is called once it is recorded, or cannot be.
        view: see `choose_view`.
        keep_answers: whether the run keeps its answers, see `answers`. The entry then
            has the SHA-256 of their file.

    Returns: the entry, a dictionary: the task's metrics, and what was evaluated.

    Raises: `InputError` for answers to keep of a file that is no split of the run.
    """
    chosen = choose_view(trained, view)
    found = find_split(trained, root, split, file)
    if keep_answers and found.split == "file":
        raise InputError(f"{found.name}: answers are kept of the run's own splits")
    facts = {"shared_with_train": measure_train_share(trained, found)}
    entry, logits = evaluate_split(trained, *found, facts=facts, view=chosen)
    try:
        if keep_answers:
            answers = pack_answers(trained.task, found.prepared, logits, entry)
            entry["answers_sha256"] = write_answers(trained.run, answers)
        if record:
            trained.run.add_metrics(entry)
        if predictions:
            lines = write_predictions(trained.task, found.prepared, logits)
            write_atomically(predictions, lines)
    finally:  # also where it cannot be recorded
        if show:
            show(entry)
    return entry


def evaluate_split(
    trained: TrainedModel,
    split: str,
    name: str,
    prepared: PreparedCorpus,
    facts: Entry | None = None,
    view: View | None = None,
) -> tuple[Entry, np.ndarray]:
    """Evaluates a prepared corpus as `evaluate` does, without recording it: every use
    of labels is to be recorded in the run, whatever it was for.

    Args:
        split, name, prepared: as `find_split` returns them.
        facts: further facts for the entry, a dictionary.
        view: the `View` of the rows; `None` for the run's own.

    Returns: the entry, and the logits `(N, labels)` of the labelled rows.

    Raises: `InputError` where a training is writing into the run.
    """
    entry, logits = compute_logits(trained, split, name, prepared, view)
    grouped = trained.experiment.data.described.grouped
    entry |= facts or {}
    entry |= measure_labelled_rows(logits, prepared, trained.task, grouped)
    return entry, logits


def choose_view(trained: TrainedModel, name: str | None = None) -> View:
    """Returns the `View` that a run is evaluated in.

    Args:
        name: of a view, or "plain" for rows as they are; `None` for the run's own.

    Raises: `InputError` for an unknown name, and where the run's rows are no pairs and
        the view is of pairs.
    """
    experiment = trained.experiment
    if name is None:
        return experiment.view
    if name not in (PLAIN, *EVALUATION_VIEWS):
        known = ", ".join([PLAIN, *EVALUATION_VIEWS])
        raise InputError(f"unknown view '{name}'. Known: {known}")
    view = experiment.make_view(None if name == PLAIN else name)
    view.check_inputs(experiment.task.inputs)
    return view


def compute_logits(
    trained: TrainedModel,
    split: str,
    name: str,
    prepared: PreparedCorpus,
    view: View | None = None,
) -> tuple[Entry, np.ndarray]:
    """Computes the logits of the labelled rows of a prepared corpus.

    Args, Raises: as `evaluate_split`.

    Returns: an entry of `metrics.json` without any metric, and the logits.
    """
    trained.run.check_not_training()
    own = trained.experiment.view
    view = view or own
    prepared = view.apply(prepared)
    model = trained.with_words_of(prepared)
    rows = read_labelled_rows(model.reader, model.vocabulary, prepared)
    coverage = model.vocabulary.coverage(prepared)
    logits = model.inference.logits(rows)
    entry = {
        "split": format_evaluation_name(split, view.name, own.name),
        **({"view": view.name} if view.name or own.name else {}),
        "file": name,
        "sha256": prepared.fingerprint,
        "date": environment.now(),
        **environment.commit(),
        **trained.run.describe_weights(),
        "rows": len(prepared),
        "unlabelled": len(prepared) - len(prepared.labelled),
        **coverage,
    }
    return entry, logits


def write_predictions(task: Task, prepared: PreparedCorpus, logits: np.ndarray) -> str:
    """Returns the answers for the labelled rows of a corpus, and their gold labels, as
    JSON lines in the file's order."""
    records = [
        {
            "id": prepared.ids[row],
            "gold": task.restore_label(prepared.labels[row]),
            **task.answer(logits[number])._asdict(),
        }
        for number, row in enumerate(prepared.labelled)
    ]
    return "".join(json.dumps(record) + "\n" for record in records)


def describe_evaluation(task: Task, entry: Entry) -> str:
    """Returns an evaluation, an entry of `metrics.json`, as text."""
    left_out = "all labelled"
    if entry["unlabelled"]:
        left_out = (
            f"{entry['unlabelled']:,} of {entry['rows']:,} without label left out"
        )
    heading = f"{entry['split']}: {entry['file']}, {entry['count']:,} rows, {left_out}"
    return "\n".join([heading, *task.as_text(entry)])

"""Evaluates a run on its splits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.data.prepared.views import EVALUATION_VIEWS, PLAIN, format_evaluation_name
from dsa.errors import InputError
from dsa.evaluation.answers import pack_answers, write_answers
from dsa.evaluation.splits import EvaluatedRows, measure_train_share
from dsa.inference.row_reading import measure_labelled_rows, read_labelled_rows
from dsa.system import environment
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    import numpy as np

    from dsa.data.prepared.corpus import PreparedCorpus
    from dsa.data.prepared.views import View
    from dsa.inference.trained_model import TrainedModel
    from dsa.tasks.task import Task


Entry = dict[str, Any]  # entry of `metrics.json`


def evaluate(  # noqa: PLR0913
    trained: TrainedModel,
    rows: EvaluatedRows,
    record: bool = True,
    predictions: Path | str | None = None,
    show: Callable[[Entry], object] | None = None,
    view: View | None = None,
    keep_answers: bool = False,
) -> Entry:
    """Evaluates the selected weights of a run on a split and records the result.

    Args:
        trained: the `TrainedModel`.
        rows: the evaluated rows, from `find_split`.
        record: whether to append the entry to the `metrics.json` of the run.
        predictions: path of an output file with a JSON line for each labelled row;
            `None` to write no predictions.
        show: function that is called with the entry at the end, even if the entry or
            the predictions cannot be written.
        view: the `View` of the rows; `None` for the view of the run.
        keep_answers: whether to store the predictions in the run folder, see
            `write_answers`. The SHA-256 of the file is added to the entry.

    Returns: the entry of `metrics.json`, with the evaluated file and the metrics.

    Raises: `InputError` if `keep_answers` is set for a file that is not a split of the
        run.
    """
    if keep_answers and rows.split == "file":
        raise InputError(f"{rows.name}: answers are only kept for splits of the run")
    metadata = {"shared_with_train": measure_train_share(trained.run, rows)}
    entry, logits = evaluate_split(trained, *rows, metadata=metadata, view=view)
    try:
        if keep_answers:
            answers = pack_answers(trained.task, rows.prepared, logits, entry)
            entry["answers_sha256"] = write_answers(trained.run, answers)
        if record:
            trained.run.add_metrics(entry)
        if predictions:
            lines = format_predictions(trained.task, rows.prepared, logits)
            write_atomically(predictions, lines)
    finally:
        if show:
            show(entry)
    return entry


def evaluate_split(
    trained: TrainedModel,
    split: str,
    name: str,
    prepared: PreparedCorpus,
    metadata: Entry | None = None,
    view: View | None = None,
) -> tuple[Entry, np.ndarray]:
    """Evaluates a prepared corpus without recording the result.

    The caller is responsible for recording the entry.

    Args:
        trained: the `TrainedModel`.
        split, name, prepared: the attributes of `EvaluatedRows`.
        metadata: further items of the entry.
        view: the `View` of the rows; `None` for the view of the run.

    Returns: the entry, and the logits of the labelled rows, `(N, outputs)`.

    Raises: `InputError` while the run is being trained.
    """
    entry, logits = compute_logits(trained, split, name, prepared, view)
    grouped = trained.experiment.data.resolved_corpus.grouped
    entry |= metadata or {}
    entry |= measure_labelled_rows(logits, prepared, trained.task, grouped)
    return entry, logits


def choose_view(trained: TrainedModel, name: str | None = None) -> View:
    """Returns the `View` of an evaluation.

    Args:
        trained: the `TrainedModel`.
        name: name of a view; "plain" for complete rows; `None` for the view of the run.

    Raises: `InputError` if the name is unknown, or if the view requires pairs but the
        rows of the run are single sentences.
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

    Args, Raises: see `evaluate_split`.

    Returns: an entry of `metrics.json` without metrics, and the logits `(N, outputs)`.
    """
    trained.run.check_not_training()
    run_view = trained.experiment.view
    if view is None:
        view = run_view
    prepared = view.apply(prepared)
    model = trained.with_words_of(prepared)
    rows = read_labelled_rows(model.reader, model.vocabulary, prepared)
    coverage = model.vocabulary.coverage(prepared)
    logits = model.inference.logits(rows)
    entry: Entry = {
        "split": format_evaluation_name(split, view.name, run_view.name),
    }
    if view.name or run_view.name:
        entry["view"] = view.name
    entry |= {
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


def format_predictions(task: Task, prepared: PreparedCorpus, logits: np.ndarray) -> str:
    """Formats predictions and gold labels as JSON lines.

    Args:
        task: the task.
        prepared: the evaluated corpus.
        logits: logits of the labelled rows, `(N, outputs)`.

    Returns: a line for each labelled row, in the order of the file.
    """
    lines = []
    for row, row_logits in zip(prepared.labelled, logits, strict=True):
        record = {
            "id": prepared.ids[row],
            "gold": task.restore_label(prepared.labels[row]),
            **task.answer(row_logits)._asdict(),
        }
        lines.append(json.dumps(record) + "\n")
    return "".join(lines)


def describe_evaluation(task: Task, entry: Entry) -> str:
    """Formats an entry of `metrics.json` as text."""
    labelled = "all labelled"
    if entry["unlabelled"]:
        labelled = (
            f"{entry['unlabelled']:,} of {entry['rows']:,} without label left out"
        )
    heading = f"{entry['split']}: {entry['file']}, {entry['count']:,} rows, {labelled}"
    return "\n".join([heading, *task.as_text(entry)])

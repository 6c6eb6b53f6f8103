"""Evaluation of a trained model on labelled rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.data.prepared.views import (
    EVALUATION_VIEWS,
    PLAIN_VIEW,
    SURROUNDED,
    format_evaluation_name,
)
from dsa.errors import InputError
from dsa.evaluation.answers import pack_answers, write_answers
from dsa.evaluation.splits import EvaluatedRows, measure_train_share
from dsa.inference.row_reading import measure_labelled_rows, read_labelled_rows
from dsa.runs.run_records import FILE_SPLIT
from dsa.system import environment
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    import numpy as np

    from dsa.data.prepared.corpus import PreparedCorpus
    from dsa.data.prepared.views import View
    from dsa.inference.trained_model import TrainedModel
    from dsa.tasks.task import Task


Entry = dict[str, Any]  # entry of `metrics.json`


def evaluate(
    trained: TrainedModel,
    rows: EvaluatedRows,
    record: bool = True,
    predictions_path: Path | str | None = None,
    callback: Callable[[Entry], object] | None = None,
    view: View | None = None,
    keep_answers: bool = False,
) -> Entry:
    """Evaluates a trained model on labelled rows, and optionally records the result.

    Args:
        trained: the trained model.
        rows: the evaluated rows, from `find_split`.
        record: whether to append the entry to the `metrics.json` of the run.
        predictions_path: path of an output file with a JSON line for each labelled row;
            `None` to write no predictions.
        callback: function that is called at the end with the entry as argument, also if
            writing the entry or the predictions fails.
        view: the `View` of the rows; `None` for the view of the run's config.
        keep_answers: whether to store the predictions in the run folder, see
            `write_answers`. The SHA-256 of the file is added to the entry.

    Returns: the entry of `metrics.json`, with the evaluated file and the metrics.

    Raises: `InputError` if `keep_answers` is set and the rows are not a split of the
        run. Also see `evaluate_split`.
    """
    if keep_answers and rows.split == FILE_SPLIT:
        raise InputError(
            "predictions are only stored for splits of the run. Received: the file "
            f"{rows.name}"
        )
    entry, logits = evaluate_split(trained, rows, view)
    try:
        if keep_answers:
            answers = pack_answers(trained.task, rows.prepared, logits, entry)
            entry["answers_sha256"] = write_answers(trained.run, answers)
        if record:
            trained.run.add_metrics(entry)
        if predictions_path:
            lines = format_labelled_predictions(trained.task, rows.prepared, logits)
            write_atomically(predictions_path, lines)
    finally:
        if callback:
            callback(entry)
    return entry


def evaluate_split(
    trained: TrainedModel,
    rows: EvaluatedRows,
    view: View | None = None,
) -> tuple[Entry, np.ndarray]:
    """Evaluates a trained model on labelled rows.

    The caller is responsible for recording the entry.

    Args:
        trained: the trained model.
        rows: the evaluated rows, from `find_split`.
        view: the `View` of the rows; `None` for the view of the run's config.

    Returns: the entry of `metrics.json`, and the logits of the labelled rows,
        `(N, outputs)`.

    Raises: `InputError` if the run is being trained. Also see `measure_train_share`.
    """
    train_share = measure_train_share(trained.run, rows)
    entry, logits = compute_entry_and_logits(trained, rows, view)
    grouped = trained.experiment.data.resolved_corpus.grouped
    entry["shared_with_train"] = train_share
    entry |= measure_labelled_rows(logits, rows.prepared, trained.task, grouped)
    return entry, logits


def choose_view(trained: TrainedModel, name: str | None = None) -> View:
    """Returns the `View` of an evaluation.

    Args:
        trained: the trained model.
        name: name of a view; "plain" for unchanged rows; `None` for the view of the
            run's config.

    Raises: `InputError` if the name is unknown, if the view requires pairs but the run
        classifies single sentences, or if the view lengthens the sentences of a model
        with a maximum length.
    """
    experiment = trained.experiment
    if name is None:
        return experiment.view
    if name == PLAIN_VIEW:
        return experiment.make_view(None)
    if name not in EVALUATION_VIEWS:
        known = ", ".join([PLAIN_VIEW, *EVALUATION_VIEWS])
        raise InputError(f"unknown view '{name}'. Known: {known}")
    if name in SURROUNDED and getattr(experiment.model, "attends_input", False):
        raise InputError(
            f"the view '{name}' is not supported by 'model.name: "
            f"{experiment.model.name}', whose sentences have at most "
            "'tokenizer.max_tokens' tokens"
        )
    view = experiment.make_view(name)
    view.check_inputs(experiment.task.inputs)
    return view


def compute_entry_and_logits(
    trained: TrainedModel, rows: EvaluatedRows, view: View | None = None
) -> tuple[Entry, np.ndarray]:
    """Computes the logits of labelled rows, and an entry without metrics.

    Args, Raises: see `evaluate_split`.

    Returns: an entry of `metrics.json` without metrics, and the logits of the labelled
        rows, `(N, outputs)`.
    """
    trained.run.check_not_training()
    run_view = trained.experiment.view
    if view is None:
        view = run_view
    prepared = view.apply(rows.prepared)
    model = trained.with_words_of(prepared)
    model_rows = read_labelled_rows(model.reader, model.vocabulary, prepared)
    coverage = model.vocabulary.count_unknown(prepared)
    logits = model.inference.logits(model_rows)
    name = format_evaluation_name(rows.split, view.name, run_view.name)
    if trained.lookup:
        file = trained.lookup.reader.path.name
        run_file = Path(trained.experiment.embedding.path or "").name
        if file not in (run_file, f"{run_file}.gz"):
            name = f"{name} (vectors: {file})"
    entry: Entry = {"split": name}
    if view.name or run_view.name:
        entry["view"] = view.name
    entry |= {
        "file": rows.name,
        "sha256": prepared.fingerprint,
        "date": environment.get_timestamp(),
        **environment.describe_commit(),
        **trained.run.describe_weights(),
        "rows": len(prepared),
        "unlabelled": len(prepared) - len(prepared.labelled),
        **coverage,
    }
    return entry, logits


def format_labelled_predictions(
    task: Task, prepared: PreparedCorpus, logits: np.ndarray
) -> str:
    """Formats predictions and gold labels as JSON lines.

    Args:
        task: the task.
        prepared: the evaluated corpus.
        logits: logits of the labelled rows, `(N, outputs)`.

    Returns: the lines, one for each labelled row in file order.
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
    """Formats an entry of `metrics.json` as text.

    Args:
        task: the task of the evaluated run.
        entry: the entry, with metrics.
    """
    note = "all labelled"
    if entry["unlabelled"]:
        unlabelled = f"{entry['unlabelled']:,} of {entry['rows']:,} rows"
        note = f"{unlabelled} unlabelled and excluded"
    heading = f"{entry['split']}: {entry['file']}, {entry['count']:,} rows, {note}"
    return "\n".join([heading, *task.as_text(entry)])

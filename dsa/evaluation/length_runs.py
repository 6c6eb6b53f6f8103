"""Measures the accuracy of runs by sentence length."""

import logging
from collections.abc import Sequence
from pathlib import Path

from dsa.analysis import accuracy_by_length as lengths
from dsa.analysis import plots
from dsa.analysis.figure_files import FigureFiles
from dsa.backends.device_check import log_device
from dsa.errors import InputError
from dsa.evaluation.compared_runs import ComparedRuns
from dsa.evaluation.evaluate import evaluate_split
from dsa.evaluation.splits import check_same_rows, find_split
from dsa.runs.outputs import OutputFolder
from dsa.runs.run_names import list_differing_settings
from dsa.system.atomic_files import write_atomically
from dsa.system.text_tables import format_csv

MAX_RUNS = 4
TABLES = ("lengths.csv", "lengths.txt")
log = logging.getLogger(__name__)


def write_accuracy_by_length(
    compared: ComparedRuns,
    output: OutputFolder,
    split: str = "dev",
    file: Path | str | None = None,
    edges: Sequence[float] | None = None,
    figure_files: FigureFiles | None = None,
) -> str:
    """Evaluates runs and writes lengths.csv, lengths.txt and the figure lengths.png.

    Args:
        compared: at most `MAX_RUNS` runs.
        output: the output folder.
        split, file: see `find_split`.
        edges: upper bounds of the buckets, in tokens; `None` for `EDGES`.
        figure_files: the figure format; `None` for PNG.

    Returns: the text of lengths.txt.

    Raises: `InputError` if the edges are not positive, finite and increasing, if there
        are more than `MAX_RUNS` runs, if the models are not classifiers, or if the runs
        have different rows.
    """
    edges = edges or lengths.EDGES
    is_increasing = sorted(set(edges)) == list(edges)
    if not is_increasing or edges[0] <= 0 or edges[-1] == float("inf"):
        raise InputError(
            f"--edges must be positive, finite and increasing. Received: {edges}"
        )
    num_runs = len(compared.folders)
    if num_runs > MAX_RUNS:
        raise InputError(f"expected at most {MAX_RUNS} runs. Received: {num_runs}")
    figure_files = figure_files or FigureFiles()
    names = [*TABLES, figure_files.make_file_name("lengths")]
    output.check(names, [file, compared.vectors])
    root = compared.data_root
    runs = compared.load()
    log_device()
    first = next(iter(runs.values()))
    if first.task.compares_rows:
        raise InputError(
            f"{first.run.path}: accuracy by length requires a classifier. This model "
            f"predicts {first.task.answers}"
        )
    name, corpus, correct = _evaluate(runs, root, split, file)
    averages = lengths.compute_average_lengths(
        corpus.sentences.lengths, corpus.sentence_indices[corpus.labelled]
    )
    rows = lengths.measure_by_length(averages, correct, edges)
    unit = first.task.rows
    text = lengths.describe_rows(
        rows, name, list_differing_settings(list(runs.values())), unit
    )
    title = f"{name}, {len(averages):,} {unit}"
    figure = plots.draw_accuracy_by_length(averages, rows, title, unit)

    folder = output.open(names)
    write_atomically(folder / "lengths.csv", format_csv(rows))
    write_atomically(folder / "lengths.txt", text)
    figure_files.write(figure, folder, "lengths")
    log.info("written to %s: %s", folder, ", ".join(names))
    return text


def _evaluate(runs, root, split, file):
    """Evaluates runs on the labelled rows of a split or file.

    Returns: the name of the file, its `PreparedCorpus`, and the correctness of the
        predictions of each run, `{run name: bool (N,)}`.
    """
    rows_by_run = {}
    for name, trained in runs.items():
        rows_by_run[name] = find_split(trained, root, split, file)
    first = next(iter(rows_by_run.values()))
    correct = {}
    entries = []
    for name, trained in runs.items():
        rows = rows_by_run[name]
        check_same_rows(trained, rows, first)
        corpus = rows.prepared
        entry, logits = evaluate_split(trained, rows)
        entries.append((trained.run, entry))
        correct[name] = logits.argmax(axis=1) == corpus.labels[corpus.labelled]
    for run, entry in entries:  # recorded only if all evaluations succeed
        run.try_to_add_metrics(entry)
    return first.name, first.prepared, correct

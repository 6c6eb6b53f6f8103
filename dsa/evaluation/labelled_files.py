"""Chooses the reader of a user's labelled file, in the formats of `dsa predict`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.data.corpora.column_rows import has_columns
from dsa.data.corpora.corpus import Corpus
from dsa.data.corpora.own import ID, LABEL, read_own_for_evaluation
from dsa.errors import InputError
from dsa.inference.input_rows import COLUMNS, Columns, find_columns

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig

LABEL_COLUMNS = ("label", "gold_label")  # default names of the label column


def choose_corpus(path: Path | str, data: "DataConfig", columns: Columns) -> Corpus:
    """Returns the `Corpus` that reads a labelled file.

    The corpus of the run is returned if it can read the first row of the file.
    Otherwise, CSV, TSV, JSON lines and Parquet files are read by column names. The text
    columns have the names in the config of the run, or are `premise` and `hypothesis`,
    or `sentence1` and `sentence2` (`sentence` for single sentences). The label column
    is `label` or `gold_label`. Rows are selected by `data.where` if the file has its
    columns.

    Args:
        path: the file.
        data: the `data` section of the run's config.
        columns: columns selected by the user, `{input: column}` with the additional
            key "label" and the optional key "id"; `None` to select them by name.

    Raises: `InputError` if a key of `columns` is unknown or missing.
    """
    corpus = data.resolved_corpus
    if columns is not None:
        _check_columns(columns, corpus.task)
    else:
        if _reads_first_row(corpus, path):
            return corpus
        columns = _find_labelled_columns(path, data)
        if columns is None:
            return corpus  # reading raises an error with the expected format
    settings: dict[str, Any] = {"columns": columns}
    if data.where and has_columns(path, data.where):
        settings["where"] = dict(data.where)
    if data.unlabelled is not None:
        settings["unlabelled"] = tuple(data.unlabelled)
    return replace(
        corpus, read=read_own_for_evaluation, settings=settings, official_rows={}
    )


def _check_columns(columns, task):
    """Raises `InputError` if a key of `columns` is unknown or missing."""
    if task.file_form not in COLUMNS:
        raise InputError(
            f"'columns' is not supported for a file of {task.file_form}, which has "
            "fixed columns"
        )
    required = {*task.inputs, LABEL}
    if not required <= set(columns) <= {*required, ID}:
        raise InputError(
            f"'columns' must have the keys {', '.join(task.inputs)}, {LABEL} and "
            f"optionally {ID}. Received: {', '.join(map(repr, columns))}"
        )


def _reads_first_row(corpus, path):
    """Returns whether a corpus can read the first row of a file."""
    try:
        next(corpus.read_examples(path))
    except InputError:
        return False
    return True


def _find_labelled_columns(path, data):
    """Returns the columns of a file, or `None` for a file without named columns."""
    task = data.resolved_corpus.task
    default = COLUMNS.get(task.file_form)
    if default is None:
        return None
    inputs = task.inputs
    candidates: list[dict[str, str]] = []
    if data.columns is not None:
        configured = data.columns.names
        candidates.append({name: configured[name] for name in (*inputs, LABEL)})
    text_columns_with_input_names = {name: name for name in inputs}
    for text_columns in (text_columns_with_input_names, default):
        for label_column in LABEL_COLUMNS:
            candidates.append({**text_columns, LABEL: label_column})
    for columns in candidates:
        if has_columns(path, columns.values()):
            return columns
    if data.columns is None and find_columns(path, task.file_form, None) is not None:
        # reading raises an error that lists the columns of the file
        return candidates[0]
    return None

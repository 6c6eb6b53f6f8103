"""Readers of user files with pairs or sentences, in CSV, TSV, JSON lines or Parquet."""

import reprlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.column_rows import (
    READERS,
    has_columns,
    read_column_rows,
)
from dsa.data.corpora.corpus import OWN_CORPUS, Corpus
from dsa.data.corpora.example import (
    ID_COLUMNS,
    Example,
    check_examples,
    find_id,
    to_id,
)
from dsa.data.corpora.files import get_suffix
from dsa.data.corpora.own_labels import UNLABELLED, read_label, read_score
from dsa.data.corpora.parquet import PARQUET_SUFFIX
from dsa.errors import InputError
from dsa.parsing import format_value
from dsa.tasks.classification import Classification
from dsa.tasks.relatedness import Relatedness
from dsa.tasks.task import PAIR, SINGLE, Task

LABEL, ID, GROUP = "label", "id", "group"
# lower-cased values of a split column
SPLIT_NAMES = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("dev", "development", "validation", "valid", "val"), "dev"),
    **dict.fromkeys(("test", "testing"), "test"),
}


def build_own_corpus(
    columns: Mapping[str, str],
    labels: Collection[str] = (),
    scale: tuple[int, int] | None = None,
    where: Mapping[str, str] | None = None,
    unlabelled: Collection[str] = UNLABELLED,
) -> Corpus:
    """Returns the `Corpus` of user files.

    Args:
        columns: `{role: column name}`. The roles are the inputs (`premise` and
            `hypothesis`, or `sentence`), `label`, and optionally `id` and `group`.
        labels: the labels in the order of their ids.
        scale: `(lowest, highest)` if the label column contains scores; `None` if it
            contains labels.
        where: `{column: value}`; rows with other values are skipped.
        unlabelled: label values of unlabelled rows. A value that is also in `labels`
            is a label.

    Raises: `ValueError` if scores are combined with labels or single sentences, or if
        the lowest score is negative.
    """
    inputs = PAIR if columns.keys().isdisjoint(SINGLE) else SINGLE
    if scale is None:
        task = Classification(OWN_CORPUS, inputs, tuple(labels))
    elif labels or inputs != PAIR:
        raise ValueError(
            "`scale` requires the columns 'premise' and 'hypothesis', and no `labels`. "
            f"Received: columns={', '.join(columns)}, labels={', '.join(labels)}"
        )
    else:
        task = Relatedness(OWN_CORPUS, *scale)
    return Corpus(
        OWN_CORPUS,
        task,
        read_own,
        grouped=GROUP in columns,
        settings={
            "columns": dict(columns),
            "where": dict(where or {}),
            "unlabelled": tuple(unlabelled),
        },
    )


def read_own(
    path: Path | str,
    task: Task,
    columns: Mapping[str, str],
    where: Mapping[str, str] | None = None,
    unlabelled: Collection[str] = UNLABELLED,
) -> Iterator[Example]:
    """Yields an `Example` for every row of a file, including unlabelled rows.

    Args:
        path: path of a `.csv`, `.tsv`, `.txt` (read as TSV), `.jsonl` or `.parquet`
            file.
        task: the task, which determines whether labels or scores are read.
        columns, where, unlabelled: see `build_own_corpus`.

    Raises: `InputError` if an input is not a string, and the errors of
        `read_column_rows`, `read_label` and `read_score`.
    """
    for example, _ in _read_labelled(path, task, columns, where, unlabelled):
        yield example


def read_own_for_evaluation(
    path: Path | str,
    task: Task,
    columns: Mapping[str, str],
    unlabelled: Collection[str] = UNLABELLED,
    where: Mapping[str, str] | None = None,
) -> Iterator[Example]:
    """Yields the examples of `read_own`.

    If `columns` has no `id`, ids are read by `find_id`.
    """
    rows = _read_labelled(path, task, columns, where, unlabelled, ID_COLUMNS)
    for example, row in rows:
        yield _add_id(example, row, columns)


def _add_id(example, row, columns):
    """Returns the example with the id of `find_id`, unless `columns` has an `id`."""
    if ID in columns:
        return example
    return example._replace(id=find_id(row))


def _read_labelled(path, task, columns, where, unlabelled, optional=()):  # noqa: PLR0913
    """Yields `(Example, {column: value})` for each row."""
    for number, row in _select_rows(path, [*columns.values()], where, optional):
        location = f"{path}, row {number}"
        value = row.get(columns[LABEL])
        if isinstance(task, Relatedness):
            label = read_score(value, task, location, unlabelled)
        else:
            label = read_label(value, task.labels, location, unlabelled)
        yield make_example(row, number, task.inputs, columns, location, label), row


def read_splits(
    path: Path | str, column: str, where: Mapping[str, str] | None = None
) -> dict[str, np.ndarray]:
    """Returns the positions of the rows of each split in a file with a split column.

    Args:
        path: path of a file, see `read_own`.
        column: name of the split column. Its values, stripped and in lower case, are
            keys of `SPLIT_NAMES`.
        where: see `build_own_corpus`. Skipped rows are not counted.

    Returns: `{split: int array}` for train, dev and test; test may be empty.

    Raises: `InputError` if a value is unknown, or if train or dev has no rows.
    """
    splits: dict[str, list[int]] = {"train": [], "dev": [], "test": []}
    for position, (number, row) in enumerate(_select_rows(path, [column], where)):
        split = SPLIT_NAMES.get(str(row[column]).strip().lower())
        if split is None:
            raise InputError(
                f"{path}, row {number}: unknown split {str(row[column])[:40]!r} in "
                f"{column!r}. Known: {', '.join(SPLIT_NAMES)}"
            )
        splits[split].append(position)
    for split in ("train", "dev"):
        if not splits[split]:
            raise InputError(f"{path}: no row has the split '{split}' in {column!r}")
    return {split: np.array(rows, np.int64) for split, rows in splits.items()}


def _select_rows(path, names, where, optional=()):
    """Yields the rows of `read_column_rows` that have the values of `where`."""
    where = dict(where or {})
    for number, row in read_column_rows(path, [*names, *where], optional):
        values = {name: format_value(row[name]) for name in where}
        if values == where:
            yield number, row


def read_own_unlabelled(
    path: Path | str, inputs: Sequence[str], columns: Mapping[str, str]
) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every row of a file.

    A label column is ignored. If `columns` has no `id`, ids are read by `find_id`.

    Args:
        path: path of a file, see `read_own`.
        inputs: the inputs of the task.
        columns: see `build_own_corpus`.
    """
    return check_examples(_read_unlabelled(path, inputs, columns), path)


def _read_unlabelled(path, inputs, columns):
    used = {role: column for role, column in columns.items() if role in (*inputs, ID)}
    for number, row in read_column_rows(path, [*used.values()], ID_COLUMNS):
        location = f"{path}, row {number}"
        example = make_example(row, number, inputs, used, location)
        yield _add_id(example, row, used)


def has_own_columns(
    path: Path | str, inputs: Sequence[str], columns: Mapping[str, str]
) -> bool:
    """Returns whether a CSV, TSV, JSON lines or Parquet file has the input columns.

    The first row is checked. The result is `False` for a file of another type.
    """
    if get_suffix(path) not in (*READERS, PARQUET_SUFFIX):
        return False
    return has_columns(path, [columns[name] for name in inputs])


def make_example(  # noqa: PLR0913
    row: Mapping[str, Any],
    number: int,
    inputs: Iterable[str],
    columns: Mapping[str, str],
    location: str,
    label: str | float | None = None,
) -> Example:
    """Returns the `Example` of a row.

    Args:
        row: `{column: value}`.
        number: row number.
        inputs: the inputs of the task.
        columns: see `build_own_corpus`.
        location: file and row for error messages.
        label: label or score of the row; `None` if it is unlabelled.
    """
    return Example(
        texts=tuple(_read_text(row, columns[name], location) for name in inputs),
        label=label,
        id=to_id(row[columns[ID]]) if ID in columns else None,
        group=to_id(row[columns[GROUP]]) if GROUP in columns else None,
        parses=None,
        row=number,
    )


def _read_text(row, column, location):
    """Returns the text of a column, or raises `InputError` if it is not a string."""
    if not isinstance(row[column], str):
        raise InputError(
            f"{location}: {column!r} must be text. Received: "
            f"{reprlib.repr(row[column])}"
        )
    return row[column]

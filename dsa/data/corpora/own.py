"""Readers of a user's pairs or sentences in CSV, TSV, JSON lines or Parquet.

CSV is read with commas and double quotes, as written by spreadsheets, and TSV without
quoting. The columns of JSON lines are their keys.
"""

import difflib
import reprlib
from collections.abc import Collection, Mapping

import numpy as np

from dsa.data.corpora.columns import (
    parse_score,
    read_named_columns,
    read_quoted_rows,
    split_tabs,
)
from dsa.data.corpora.corpus import OWN, Corpus
from dsa.data.corpora.example import (
    ID_COLUMNS,
    Example,
    check_examples,
    find_id,
    to_id,
)
from dsa.data.corpora.files import get_suffix, read_lines
from dsa.data.corpora.nli import read_json_file
from dsa.data.corpora.parquet import SUFFIX, read_parquet_rows
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.relatedness import Relatedness
from dsa.tasks.task import PAIR, SINGLE

LABEL, ID, GROUP = "label", "id", "group"
# unlabelled rows of Hugging Face data sets, SNLI and MultiNLI, unless they are labels
UNLABELLED = ("", "-1", "-", "hidden")


# values of a split column, lower-cased
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
    """Returns the `Corpus` of a user's files.

    Args:
        columns: column names by role: each input (`premise` and `hypothesis`, or
            `sentence`), `label`, and optionally `id` and `group`.
        labels: the labels in the order of their ids.
        scale: lowest and highest score of a file with scores; `None` for labels.
        where: `{column: value}`; rows with other values are skipped.
        unlabelled: label values of unlabelled rows, unless they are in `labels`.
    """
    inputs = SINGLE if SINGLE[0] in columns else PAIR
    if scale is None:
        task = Classification(OWN, inputs, tuple(labels))
    else:
        task = Relatedness(OWN, *scale)
    return Corpus(
        OWN,
        task,
        read_own,
        grouped=GROUP in columns,
        settings={
            "columns": dict(columns),
            "where": dict(where or {}),
            "unlabelled": tuple(unlabelled),
        },
    )


def read_own(path, task, columns, where=None, unlabelled=UNLABELLED):
    """Yields an `Example` for every row of a `.csv`, `.tsv`, `.txt` (read as TSV),
    `.jsonl` or `.parquet` file, including unlabelled rows. `columns`, `where` and
    `unlabelled` are as in `build_own_corpus`."""
    for example, _ in _read_labelled(path, task, columns, where, unlabelled):
        yield example


def read_own_evaluated(path, task, columns, unlabelled=UNLABELLED):
    """Yields an `Example` for every row as `read_own`. Without an `id` in `columns`,
    the ids are those of `find_id`."""
    rows = _read_labelled(path, task, columns, None, unlabelled, ID_COLUMNS)
    for example, row in rows:
        yield example if ID in columns else example._replace(id=find_id(row))


def _read_labelled(path, task, columns, where, unlabelled, optional=()):  # noqa: PLR0913
    """Yields the `Example` and the columns of each row."""
    for number, row in _select_rows(path, [*columns.values()], where, optional):
        place = f"{path}, row {number}"
        value = row.get(columns[LABEL])
        if isinstance(task, Relatedness):
            label = read_score(value, task, unlabelled, place)
        else:
            label = read_label(value, task.labels, place, unlabelled)
        yield make_example(row, number, task.inputs, columns, place, label), row


def read_splits(path, column, where=None):
    """Returns the positions of the rows of each split, which a column names.

    Args:
        path: a file as in `read_own`.
        column: the column, with the values `SPLIT_NAMES`.
        where: as in `build_own_corpus`. Positions count the selected rows.

    Returns: `{"train", "dev" and "test": int array}`; test may be empty.

    Raises: `InputError` for another value, and if train or dev has no rows.
    """
    splits = {split: [] for split in ("train", "dev", "test")}
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
    """Yields the rows of `read_column_rows` with the values `where`."""
    where = where or {}
    for number, row in read_column_rows(path, [*names, *where], optional):
        if all(write_value(row[name]) == value for name, value in where.items()):
            yield number, row


def write_value(value):
    """Returns the value of a column as text, "" if it is missing. Whole numbers are
    written without a fraction, also if they are floats, which pandas writes for a
    column with missing values."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def read_own_unlabelled(path, inputs, columns):
    """Yields an unlabelled `Example` for every row of a file as in `read_own`. The
    label column is optional and ignored. Without an `id` in `columns`, the ids are
    those of `find_id`."""
    needed = {name: column for name, column in columns.items() if name in (*inputs, ID)}

    def read():
        for number, row in read_column_rows(path, [*needed.values()], ID_COLUMNS):
            place = f"{path}, row {number}"
            example = make_example(row, number, inputs, needed, place)
            yield example if ID in needed else example._replace(id=find_id(row))

    return check_examples(read(), path)


def has_own_columns(path, inputs, columns):
    """Returns whether the first row of a CSV, TSV, JSON lines or Parquet file has the
    input columns."""
    if get_suffix(path) not in (*READERS, SUFFIX):
        return False
    return has_columns(path, [columns[name] for name in inputs])


def has_columns(path, names):
    """Returns whether the first row of a file has the given columns."""
    try:
        return next(iter(read_column_rows(path, names)), None) is not None
    except InputError:
        return False


def read_column_rows(path, names=None, optional=()):
    """Yields `(row number, {column: value})` of a CSV, TSV, JSON lines or Parquet file.

    Args:
        names: the required columns; `None` to read all columns.
        optional: further columns to read from a Parquet file that contains them. Rows
            of other files are complete.

    Raises: `InputError` for a row without one of the columns `names`.
    """
    if get_suffix(path) == SUFFIX:
        names = None if names is None else list(dict.fromkeys(names))
        yield from read_parquet_rows(path, names, optional)
        return
    read = READERS.get(get_suffix(path))
    if read is None:
        raise InputError(
            f"{path}: unknown file type. Known: {', '.join(READERS)}, each optionally "
            f"followed by .gz, and {SUFFIX}"
        )
    for number, row in read(path):
        missing = [name for name in names or () if name not in row]
        if missing:
            raise InputError(
                f"{path}, row {number}: no column {missing[0]!r} (set by "
                f"'data.columns' or --columns). Columns: {', '.join(map(repr, row))}"
            )
        yield number, row


def _read_csv(path):
    return read_quoted_rows(path, ",")


def _read_tsv(path):
    return read_named_columns(split_tabs(read_lines(path), keep_empty=False), path)


READERS = {
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".txt": _read_tsv,
    ".jsonl": read_json_file,
}


def make_example(row, number, inputs, columns, place, label=None):  # noqa: PLR0913
    """Returns the `Example` of a row `{column: value}`. `columns` is as in
    `build_own_corpus`."""
    texts = tuple(_read_text(row, columns[name], place) for name in inputs)
    return Example(
        texts,
        label,
        to_id(row.get(columns.get(ID))),
        to_id(row.get(columns.get(GROUP))),
        None,
        number,
    )


def _read_text(row, column, place):
    if not isinstance(row[column], str):
        raise InputError(
            f"{place}: {column!r} is not text. Received: {reprlib.repr(row[column])}"
        )
    return row[column]


def read_label(value, labels, place, unlabelled=UNLABELLED):
    """Returns a label, or `None` for an unlabelled row. Whole numbers are valid labels,
    also as floats, see `write_value`."""
    label = write_value(value)
    if label in labels:
        return label
    if label in unlabelled or value is None or value != value:
        return None
    if not isinstance(value, (str, int)) and not label.isdigit():
        raise InputError(
            f"{place}: the label is neither text nor a whole number. Received: "
            f"{reprlib.repr(value)}"
        )
    near = difflib.get_close_matches(label, labels, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise InputError(
        f"{place}: unknown label {label[:40]!r}. {hint}Known (data.labels): "
        f"{', '.join(labels)}; leave the field of an unlabelled row empty"
    )


def read_score(value, task, unlabelled, place):
    """Returns a score, or `None` for an unlabelled row.

    Args:
        value: a number, or a number as text.
        task: a `Relatedness` task.
        unlabelled: as in `build_own_corpus`.
    """
    text = write_value(value)
    if text in unlabelled or value is None or value != value:
        return None
    return parse_score(text, task, place)

"""Readers of user files of pairs or sentences in CSV, TSV, JSON lines or Parquet.

CSV files have commas and double quotes, as written by spreadsheets; TSV files have no
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
# label values of unlabelled rows in Hugging Face data sets, SNLI and MultiNLI
UNLABELLED = ("", "-1", "-", "hidden")
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
        scale: lowest and highest score of a file with scores; `None` for labels.
        where: `{column: value}`; rows with other values are skipped.
        unlabelled: label values of unlabelled rows. A value that is also in `labels`
            is a label.
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
    """Yields an `Example` for every row of a file, including unlabelled rows.

    Args:
        path: a `.csv`, `.tsv`, `.txt` (read as TSV), `.jsonl` or `.parquet` file.
        task: the task of the labels.
        columns, where, unlabelled: as in `build_own_corpus`.

    Raises: `InputError` as `read_column_rows`, `read_label` and `read_score`, and for a
        value that must be text.
    """
    for example, _ in _read_labelled(path, task, columns, where, unlabelled):
        yield example


def read_own_evaluated(path, task, columns, unlabelled=UNLABELLED):
    """Yields the examples of `read_own`. If `columns` has no `id`, ids are read by
    `find_id`."""
    rows = _read_labelled(path, task, columns, None, unlabelled, ID_COLUMNS)
    for example, row in rows:
        if ID in columns:
            yield example
        else:
            yield example._replace(id=find_id(row))


def _read_labelled(path, task, columns, where, unlabelled, optional=()):  # noqa: PLR0913
    """Yields `(Example, {column: value})` for each row."""
    for number, row in _select_rows(path, [*columns.values()], where, optional):
        location = f"{path}, row {number}"
        value = row.get(columns[LABEL])
        if isinstance(task, Relatedness):
            label = read_score(value, task, unlabelled, location)
        else:
            label = read_label(value, task.labels, location, unlabelled)
        yield make_example(row, number, task.inputs, columns, location, label), row


def read_splits(path, column, where=None):
    """Returns the positions of the rows of each split in a file with a split column.

    Args:
        path: a file as in `read_own`.
        column: name of the split column, whose values are keys of `SPLIT_NAMES`.
        where: as in `build_own_corpus`. Skipped rows are not counted.

    Returns: `{split: int array}` for train, dev and test; test may be empty.

    Raises: `InputError` for an unknown value, and if train or dev has no rows.
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
    """Yields the rows of `read_column_rows` that match `where`."""
    where = where or {}
    for number, row in read_column_rows(path, [*names, *where], optional):
        if all(write_value(row[name]) == value for name, value in where.items()):
            yield number, row


def write_value(value):
    """Formats the value of a column as text; a missing value is "".

    A float without a fraction is formatted as an integer, because pandas converts an
    integer column with missing values to floats.
    """
    if _is_missing(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def _is_missing(value):
    return value is None or value != value  # NaN differs from itself


def read_own_unlabelled(path, inputs, columns):
    """Yields an unlabelled `Example` for every row of a file.

    A label column is ignored. If `columns` has no `id`, ids are read by `find_id`.

    Args:
        path: a file as in `read_own`.
        inputs: the inputs of the task.
        columns: as in `build_own_corpus`.
    """
    return check_examples(_read_unlabelled(path, inputs, columns), path)


def _read_unlabelled(path, inputs, columns):
    used = {role: column for role, column in columns.items() if role in (*inputs, ID)}
    for number, row in read_column_rows(path, [*used.values()], ID_COLUMNS):
        location = f"{path}, row {number}"
        example = make_example(row, number, inputs, used, location)
        if ID in used:
            yield example
        else:
            yield example._replace(id=find_id(row))


def has_own_columns(path, inputs, columns):
    """Returns whether the first row of a CSV, TSV, JSON lines or Parquet file has the
    input columns; `False` for a file of another type."""
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
        path: the file.
        names: the required columns; `None` to read all columns.
        optional: additional columns to read from a Parquet file if it contains them.
            Other files are always read with all columns.

    Raises: `InputError` for an unknown file type and for a missing column.
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


def make_example(row, number, inputs, columns, location, label=None):  # noqa: PLR0913
    """Returns the `Example` of a row.

    Args:
        row: `{column: value}`.
        number: row number.
        inputs: the inputs of the task.
        columns: as in `build_own_corpus`.
        location: file and row for error messages.
        label: label or score of the row.
    """
    return Example(
        texts=tuple(_read_text(row, columns[name], location) for name in inputs),
        label=label,
        id=to_id(row.get(columns.get(ID))),
        group=to_id(row.get(columns.get(GROUP))),
        parses=None,
        row=number,
    )


def _read_text(row, column, location):
    if not isinstance(row[column], str):
        raise InputError(
            f"{location}: {column!r} must be text. Received: "
            f"{reprlib.repr(row[column])}"
        )
    return row[column]


def read_label(value, labels, location, unlabelled=UNLABELLED):
    """Returns the label of a row, or `None` for an unlabelled row.

    Args:
        value: the value of the label column, text or a whole number, see
            `write_value`.
        labels: the known labels.
        location: file and row for error messages.
        unlabelled: as in `build_own_corpus`.

    Raises: `InputError` for an unknown label.
    """
    label = write_value(value)
    if label in labels:
        return label
    if label in unlabelled or _is_missing(value):
        return None
    if not isinstance(value, (str, int)) and not label.isdigit():
        raise InputError(
            f"{location}: the label must be text or a whole number. Received: "
            f"{reprlib.repr(value)}"
        )
    near = difflib.get_close_matches(label, labels, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise InputError(
        f"{location}: unknown label {label[:40]!r}. {hint}Known (data.labels): "
        f"{', '.join(labels)}; leave the field of an unlabelled row empty"
    )


def read_score(value, task, unlabelled, location):
    """Returns the score of a row, or `None` for an unlabelled row.

    Args:
        value: the value of the label column, a number or a number as text.
        task: a `Relatedness` task.
        unlabelled: as in `build_own_corpus`.
        location: file and row for error messages.

    Raises: `InputError` for a score outside the scale of the task.
    """
    text = write_value(value)
    if text in unlabelled or _is_missing(value):
        return None
    return parse_score(text, task, location)

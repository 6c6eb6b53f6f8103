"""Readers of a user's pairs or sentences in CSV, TSV, JSON lines or Parquet.

CSV is read with commas and double quotes, as written by spreadsheets, and TSV without
quoting. The columns of JSON lines are their keys.
"""

import difflib
import reprlib
from collections.abc import Mapping
from pathlib import Path

from dsa.data.corpora.columns import read_named_columns, read_quoted_rows, split_tabs
from dsa.data.corpora.corpus import OWN, Corpus
from dsa.data.corpora.example import Example, check_examples, to_id
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import read_json_file
from dsa.data.corpora.parquet import SUFFIX, read_parquet_rows
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.task import PAIR, SINGLE

LABEL, ID, GROUP = "label", "id", "group"
# unlabelled rows of Hugging Face data sets, SNLI and MultiNLI, unless they are labels
UNLABELLED = ("", "-1", "-", "hidden")


def build_own_corpus(columns: Mapping[str, str], labels) -> Corpus:
    """Returns the `Corpus` of a user's files.

    Args:
        columns: column names by role: each input (`premise` and `hypothesis`, or
            `sentence`), `label`, and optionally `id` and `group`.
        labels: the labels in the order of their ids.
    """
    inputs = SINGLE if SINGLE[0] in columns else PAIR
    return Corpus(
        OWN,
        Classification(OWN, inputs, tuple(labels)),
        read_own,
        grouped=GROUP in columns,
        settings={"columns": dict(columns)},
    )


def read_own(path, task, columns):
    """Yields an `Example` for every row of a `.csv`, `.tsv`, `.txt` (read as TSV),
    `.jsonl` or `.parquet` file, including unlabelled rows. `columns` is as in
    `build_own_corpus`."""
    for number, row in read_column_rows(path, [*columns.values()]):
        place = f"{path}, row {number}"
        label = read_label(row.get(columns[LABEL]), task.labels, place)
        yield make_example(row, number, task.inputs, columns, place, label)


def read_own_unlabelled(path, inputs, columns):
    """Yields an unlabelled `Example` for every row of a file as in `read_own`. The
    label column is optional and ignored."""
    needed = {name: column for name, column in columns.items() if name in (*inputs, ID)}

    def read():
        for number, row in read_column_rows(path, [*needed.values()]):
            yield make_example(row, number, inputs, needed, f"{path}, row {number}")

    return check_examples(read(), path)


def has_own_columns(path, inputs, columns):
    """Returns whether the first row of a CSV, TSV, JSON lines or Parquet file has the
    input columns."""
    if _suffix(path) not in (*READERS, SUFFIX):
        return False
    return has_columns(path, [columns[name] for name in inputs])


def has_columns(path, names):
    """Returns whether the first row of a file has the given columns."""
    try:
        return next(iter(read_column_rows(path, names)), None) is not None
    except InputError:
        return False


def read_column_rows(path, names):
    """Yields `(row number, {column: value})` of a CSV, TSV, JSON lines or Parquet file.

    Raises: `InputError` for a row without one of the columns `names`.
    """
    if _suffix(path) == SUFFIX:
        yield from read_parquet_rows(path, list(dict.fromkeys(names)))
        return
    read = READERS.get(_suffix(path))
    if read is None:
        raise InputError(
            f"{path}: unknown file type. Known: {', '.join(READERS)}, each optionally "
            f"followed by .gz, and {SUFFIX}"
        )
    for number, row in read(path):
        missing = [name for name in names if name not in row]
        if missing:
            raise InputError(
                f"{path}, row {number}: no column {missing[0]!r} (set by "
                f"'data.columns' or --columns). Columns: {', '.join(map(repr, row))}"
            )
        yield number, row


def _suffix(path):
    return Path(str(path).removesuffix(".gz")).suffix


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


def read_label(value, labels, place):
    """Returns a label, or `None` for an unlabelled row. Whole numbers are valid labels,
    also as floats, which pandas writes for a column with missing values."""
    if value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, (str, int)):
        raise InputError(
            f"{place}: the label is neither text nor a whole number. Received: "
            f"{reprlib.repr(value)}"
        )
    label = str(value)
    if label in labels:
        return label
    if label in UNLABELLED:
        return None
    near = difflib.get_close_matches(label, labels, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise InputError(
        f"{place}: unknown label {label[:40]!r}. {hint}Known (data.labels): "
        f"{', '.join(labels)}; leave the field of an unlabelled row empty"
    )

"""Rows of CSV, TSV, JSON lines and Parquet files as `{column: value}`.

CSV fields are separated by commas and may be enclosed in double quotes. In TSV files,
quotes are ordinary characters. The columns of a JSON lines file are the keys of its
objects.
"""

from dsa.data.corpora.columns import read_named_columns, read_quoted_rows, split_tabs
from dsa.data.corpora.files import get_suffix, read_lines
from dsa.data.corpora.nli import read_json_file
from dsa.data.corpora.parquet import PARQUET_SUFFIX, read_parquet_rows
from dsa.errors import InputError


def has_columns(path, names):
    """Returns whether a file can be read and its first row has the given columns."""
    try:
        for _ in read_column_rows(path, names):
            return True
    except InputError:
        pass
    return False


def read_column_rows(path, names=None, optional=()):
    """Yields `(row number, {column: value})` of a CSV, TSV, JSON lines or Parquet file.

    Args:
        path: the file.
        names: the required columns; `None` to read all columns.
        optional: additional columns to read from a Parquet file if it contains them.
            Other files are always read with all columns.

    Raises: `InputError` if the file type is unknown or a required column is missing.
    """
    if get_suffix(path) == PARQUET_SUFFIX:
        names = None if names is None else list(dict.fromkeys(names))
        yield from read_parquet_rows(path, names, optional)
        return
    read = READERS.get(get_suffix(path))
    if read is None:
        raise InputError(
            f"{path}: unknown file type. Known: {', '.join(READERS)}, each optionally "
            f"followed by .gz, and {PARQUET_SUFFIX}"
        )
    for number, row in read(path):
        missing = [name for name in names or () if name not in row]
        if missing:
            raise InputError(
                f"{path}, row {number}: no column {missing[0]!r} (column names are set "
                f"in the section 'data' or by --columns). Columns: "
                f"{', '.join(map(repr, row))}"
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


def format_value(value):
    """Returns the value of a column as a string, or "" if it is missing.

    A float without a fraction is formatted as an integer, because pandas converts an
    integer column with missing values to floats.
    """
    if is_missing(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def is_missing(value):
    """Returns whether a value is `None` or NaN."""
    return value is None or value != value  # NaN differs from itself

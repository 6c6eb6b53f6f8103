"""Rows of CSV, TSV, JSON lines and Parquet files as `{column: value}`.

CSV fields are separated by commas and may be enclosed in double quotes. In TSV files,
quotes are ordinary characters. The columns of a JSON lines file are the keys of its
objects. The format is inferred from the suffix; `.txt` files are read as TSV. All
formats but Parquet may be gzipped.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from dsa.data.corpora.columns import read_named_columns, read_quoted_rows, split_tabs
from dsa.data.corpora.files import get_suffix, read_lines
from dsa.data.corpora.nli import read_json_file
from dsa.data.corpora.parquet import PARQUET_SUFFIX, read_parquet_rows
from dsa.errors import InputError


def has_columns(path: Path | str, required: Collection[str]) -> bool:
    """Returns whether a file can be read and its first row has the required columns."""
    try:
        return next(read_column_rows(path, required), None) is not None
    except InputError:
        return False


def read_column_rows(
    path: Path | str,
    required: Collection[str] | None = None,
    optional: Sequence[str] = (),
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields `(row number, {column: value})` of a CSV, TSV, JSON lines or Parquet file.

    Args:
        path: the file.
        required: the required columns; `None` to read all columns.
        optional: additional columns to read from a Parquet file if it contains them.
            Other files are always read with all columns.

    Raises: `InputError` if the file type is unknown, the file is malformed, or a row
        lacks a required column.
    """
    suffix = get_suffix(path)
    if suffix == PARQUET_SUFFIX:
        columns = None if required is None else list(dict.fromkeys(required))
        yield from read_parquet_rows(path, columns, optional)
        return
    read = READERS.get(suffix)
    if read is None:
        raise InputError(
            f"{path}: unknown file type. Known: {', '.join(READERS)}, each optionally "
            f"followed by .gz, and {PARQUET_SUFFIX}"
        )
    for number, row in read(path):
        missing = [name for name in required or () if name not in row]
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

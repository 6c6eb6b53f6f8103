"""The rows of a user's files, and statistics of their columns."""

import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsa.config_section import parse_number
from dsa.data.corpora.own import UNLABELLED, read_column_rows, write_value
from dsa.errors import InputError
from dsa.experiment.data_parts import MAX_LABELS

MIN_ROWS = 10
TEXT_WORDS = 3  # mean number of words of a column of texts
MAX_NUMERIC_LABELS = 20  # more distinct numbers are scores
HEADER_WORDS = 5  # a longer column name is the first row of a file without a header


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Args:
        name: name of the column.
        values: the values as text, "" for a missing value.
    """

    name: str
    values: Sequence[str]

    @functools.cached_property
    def counts(self) -> Counter:
        """Number of rows of each value, without missing values."""
        return Counter(value for value in self.values if value.strip())

    @property
    def distinct(self) -> int:
        """Number of distinct values."""
        return len(self.counts)

    @functools.cached_property
    def mean_words(self) -> float:
        """Mean number of words of the distinct values."""
        words = sum(len(value.split()) for value in self.counts)
        return words / max(self.distinct, 1)

    @functools.cached_property
    def numbers(self) -> list[float] | None:
        """The distinct values as numbers, without marks of unlabelled rows; `None` if
        any value is not numeric."""
        try:
            return [parse_number(v) for v in self.counts if v not in UNLABELLED]
        except ValueError:
            return None

    @property
    def is_text(self) -> bool:
        """Whether the values look like sentences."""
        return self.numbers is None and self.mean_words >= TEXT_WORDS

    @property
    def is_short_text(self) -> bool:
        """Whether the values look like words or phrases of many kinds."""
        repeated = self.distinct <= MAX_LABELS and self.distinct <= len(self) / 2
        return self.numbers is None and not repeated

    @property
    def is_score(self) -> bool:
        """Whether the values look like scores: fractions, or many repeated numbers."""
        if self.numbers is None or self.distinct < 2:
            return False
        return self.has_fractions or MAX_NUMERIC_LABELS < self.distinct < len(self)

    @property
    def has_fractions(self) -> bool:
        """Whether a value is a number that is not whole."""
        return not all(number.is_integer() for number in self.numbers or [])

    @property
    def is_label(self) -> bool:
        """Whether the values look like labels."""
        return 2 <= self.distinct <= min(MAX_LABELS, len(self) - 1)

    @property
    def is_key(self) -> bool:
        """Whether each row has another value without white space."""
        return self.distinct == len(self) and self.mean_words == 1

    def __len__(self) -> int:
        return len(self.values)

    def describe(self) -> str:
        """Returns the name and a summary of the values."""
        if self.is_text:
            return f"{self.name!r} (text, {self.mean_words:.0f} words on average)"
        return f"{self.name!r} ({self.distinct:,} distinct values)"


@dataclass(frozen=True)
class Table:
    """Rows of one or several files.

    Args:
        path: the first file, for error messages.
        rows: the rows, `{column: value}`.
        files: the file of each row.
    """

    path: Path
    rows: list[dict[str, Any]]
    files: list[Path]

    @functools.cached_property
    def columns(self) -> dict[str, Column]:
        """The columns by name, without those that have no name."""
        return {
            name: Column(name, [write_value(row.get(name)) for row in self.rows])
            for name in dict.fromkeys(name for row in self.rows for name in row)
            if name.strip()
        }

    def describe(self) -> str:
        """Returns a list of the columns."""
        return ", ".join(column.describe() for column in self.columns.values())


def read_table(paths: Sequence[Path | str]) -> Table:
    """Reads CSV, TSV, JSON lines or Parquet files with the same columns.

    Raises: `InputError` with file and reason for an unreadable file, a file with less
        than two columns, without rows or without a header line, for files with
        different columns, and for less than 10 rows.
    """
    rows, files = [], []
    for path in map(Path, paths):
        new = [row for _, row in read_column_rows(path, None)]
        if not new:
            raise InputError(f"{path}: no rows")
        _check_header(list(new[0]), path)
        missing = [name for name in rows[0] if name not in new[0]] if rows else []
        if missing:
            raise InputError(f"{path}: no column {missing[0]!r}, which {paths[0]} has")
        rows += new
        files += [path] * len(new)
    if len(rows) < MIN_ROWS:
        raise InputError(
            f"{paths[0]}: number of rows {len(rows)}, expected at least {MIN_ROWS}"
        )
    return Table(Path(paths[0]), rows, files)


def _check_header(names, path):
    if len(names) < 2:
        separators = [mark for mark in ";\t|" if mark in names[0]]
        hint = ""
        if separators:
            hint = (
                f". Its columns are separated by {separators[0]!r}, expected commas "
                "in .csv and tabs in .tsv files"
            )
        raise InputError(
            f"{path}: a single column, {names[0][:80]!r}, expected texts and labels"
            f"{hint}"
        )
    for name in names:
        if len(name.split()) > HEADER_WORDS:
            raise InputError(
                f"{path}: the first line must contain the names of the columns. "
                f"Received: {name[:80]!r}"
            )


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Writes rows as JSON lines."""
    # texts are valid Unicode, other columns may not be
    with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as file:
        for row in rows:
            known = {k: None if v != v else v for k, v in row.items() if k.strip()}
            file.write(json.dumps(known, ensure_ascii=False, default=str) + "\n")

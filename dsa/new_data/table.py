"""Reads user files, and computes statistics of their columns."""

import functools
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsa.data.corpora.column_rows import read_column_rows
from dsa.data.corpora.own import UNLABELLED
from dsa.errors import InputError
from dsa.experiment.data_parts import MAX_LABELS
from dsa.parsing import NUMBER, WHOLE_NUMBER, list_forms, parse_number

MIN_ROWS = 10
MIN_TEXT_WORDS = 3  # minimum mean number of words of a text column
# marks of missing values in columns of numbers
MISSING_VALUES = {"NA", "N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"}
MAX_NUMERIC_LABELS = 20  # a column with more distinct numbers contains scores
MAX_HEADER_WORDS = 5  # longer names are texts of a file without a header line


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Args:
        name: name of the column.
        values: value of each row as a string; "" for a missing value.
    """

    name: str
    values: Sequence[str]

    @functools.cached_property
    def counts(self) -> Counter:
        """Number of rows with each value. Missing values are not counted."""
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
        """The distinct values as numbers, without the values in `UNLABELLED`; `None` if
        any other value is not a number."""
        values = [value for value in self.counts if value not in UNLABELLED]
        try:
            return [parse_number(value) for value in values]
        except ValueError:
            return None

    @property
    def is_text(self) -> bool:
        """Whether the values look like sentences."""
        return self.numbers is None and self.mean_words >= MIN_TEXT_WORDS

    @property
    def is_short_text(self) -> bool:
        """Whether the values look like words or phrases: many distinct values that are
        not numbers."""
        repeats_values = self.distinct <= min(MAX_LABELS, len(self) / 2)
        return self.numbers is None and not repeats_values

    @property
    def is_score(self) -> bool:
        """Whether the values look like scores: fractions, or many distinct numbers of
        which some are repeated."""
        if self.numbers is None or self.distinct < 2:
            return False
        return self.has_fractions or MAX_NUMERIC_LABELS < self.distinct < len(self)

    @property
    def has_fractions(self) -> bool:
        """Whether all values are numbers, and any number is not an integer."""
        numbers = self.numbers or []
        return any(not number.is_integer() for number in numbers)

    @property
    def is_label(self) -> bool:
        """Whether the values look like labels: few distinct values, some of which are
        repeated."""
        return 2 <= self.distinct <= min(MAX_LABELS, len(self) - 1)

    @property
    def is_key(self) -> bool:
        """Whether all values are distinct and contain no white space."""
        return self.distinct == len(self) and self.mean_words == 1

    def __len__(self) -> int:
        return len(self.values)

    def describe(self) -> str:
        """Returns the name of the column and a summary of its values."""
        if self.is_text:
            return f"{self.name!r} (text, {self.mean_words:.0f} words on average)"
        return f"{self.name!r} ({self.distinct:,} distinct values)"


@dataclass(frozen=True)
class Table:
    """Rows of one or several files.

    Args:
        path: the first file, for error messages.
        rows: one dictionary `{column: value}` per row.
        files: file of each row.
    """

    path: Path
    rows: list[dict[str, Any]]
    files: list[Path]

    @functools.cached_property
    def columns(self) -> dict[str, Column]:
        """The columns by name. Unnamed columns and columns of lists, objects or bytes
        are omitted."""
        columns = {}
        for name in dict.fromkeys(name for row in self.rows for name in row):
            values = [row.get(name) for row in self.rows]
            is_nested = any(isinstance(value, (list, dict, bytes)) for value in values)
            if name.strip() and not is_nested:
                columns[name] = Column(name, _format_values(values))
        return columns

    def describe(self) -> str:
        """Returns descriptions of all columns, separated by commas."""
        return ", ".join(column.describe() for column in self.columns.values())


def _format_values(values):
    """Formats the values of a column as strings.

    In a column of numbers, the values in `MISSING_VALUES` become "". If all numbers are
    decimals with a zero fraction, such as "1.0", the fractions are removed.
    """
    forms = [list_forms(value) for value in values]
    texts = [form[0] for form in forms]
    numbers = {text for text in texts if text.strip()}
    numbers -= {*MISSING_VALUES, *UNLABELLED}
    if not numbers or not all(NUMBER.fullmatch(text) for text in numbers):
        return texts
    if all(WHOLE_NUMBER.fullmatch(text) for text in numbers):
        texts = [form[-1] for form in forms]
    return ["" if text in MISSING_VALUES else text for text in texts]


def read_table(paths: Sequence[Path | str]) -> Table:
    """Reads CSV, TSV, JSON lines or Parquet files with the same columns.

    Raises: `InputError` if a file cannot be read, has no rows, no header line or fewer
        than two columns, if the columns of the files differ, or if there are fewer than
        10 rows in total.
    """
    rows, files = [], []
    for path in map(Path, paths):
        file_rows = [row for _, row in read_column_rows(path, None)]
        if not file_rows:
            raise InputError(f"{path}: the file contains no rows")
        names = list(file_rows[0])
        _check_header(names, path)
        for name in rows[0] if rows else ():
            if name not in names:
                raise InputError(
                    f"{path}: column {name!r} of {paths[0]} is missing. All files must "
                    "have the same columns"
                )
        rows += file_rows
        files += [path] * len(file_rows)
    if len(rows) < MIN_ROWS:
        raise InputError(
            f"{paths[0]}: expected at least {MIN_ROWS} rows. Received: {len(rows)}"
        )
    return Table(Path(paths[0]), rows, files)


def _check_header(names, path):
    """Raises `InputError` for a single column, and for names that look like texts."""
    if len(names) < 2:
        separators = [character for character in ";\t|" if character in names[0]]
        hint = ""
        if separators:
            hint = (
                f". The columns seem to be separated by {separators[0]!r}, expected "
                "commas in .csv and tabs in .tsv files"
            )
        raise InputError(
            f"{path}: expected columns of texts and labels. Received: a single column, "
            f"{names[0][:80]!r}{hint}"
        )
    for name in names:
        if len(name.split()) > MAX_HEADER_WORDS:
            raise InputError(
                f"{path}: the first line must contain the names of the columns. "
                f"Received: {name[:80]!r}"
            )


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Writes rows as JSON lines.

    Columns without a name are not written. NaN is written as null.
    """
    # "replace": columns that are not used as texts may contain invalid Unicode
    with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as file:
        for row in rows:
            record = {}
            for name, value in row.items():
                is_nan = isinstance(value, float) and math.isnan(value)
                if name.strip():
                    record[name] = None if is_nan else value
            file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")

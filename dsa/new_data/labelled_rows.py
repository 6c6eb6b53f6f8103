"""Selects the labelled rows of a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dsa.config_section import parse_number
from dsa.data.corpora.example import check_text
from dsa.data.corpora.own import LABEL, SPLIT_NAMES, UNLABELLED
from dsa.errors import InputError
from dsa.experiment.data_parts import MOST_LABELS
from dsa.new_data.roles import SPLIT, Choice
from dsa.new_data.table import LEAST_ROWS, Table
from dsa.tasks.task import PAIR, SINGLE


@dataclass(frozen=True)
class LabelledRows:
    """Rows with a label and without empty texts.

    Args:
        rows: positions in the table.
        texts: the texts of each row.
        values: label of each row as text.
        labels: the distinct labels, sorted; empty for scores.
        scale: lowest and highest score; `None` for labels.
        unlabelled: number of rows without label.
        empty: number of labelled rows with an empty text.
    """

    rows: list[int]
    texts: Sequence[tuple[str, ...]]
    values: Sequence[str]
    labels: tuple[str, ...]
    scale: tuple[int, int] | None
    unlabelled: int
    empty: int

    @property
    def kinds(self) -> np.ndarray:
        """Integer of each row's label for stratified splits, `(N,)`; scores are
        rounded."""
        if self.scale is None:
            numbers = {label: number for number, label in enumerate(self.labels)}
            return np.array([numbers[value] for value in self.values])
        return np.rint([parse_number(value) for value in self.values]).astype(int)

    @property
    def repeats_texts(self) -> bool:
        """Whether two rows have the same first text."""
        return len({texts[0] for texts in self.texts}) < len(self.texts)


def select_labelled_rows(
    table: Table,
    choices: Mapping[str, Choice],
    labels: Sequence[str] = (),
    scale: tuple[int, int] | None = None,
) -> LabelledRows:
    """Returns the labelled rows of a table.

    Args:
        table: the table.
        choices: the columns of the roles.
        labels: the labels; by default, all values of the label column except
            `UNLABELLED`. -1 is a label if there is only one other value.
        scale: lowest and highest score; by default, labels unless the column contains
            scores.

    Raises: `InputError` for a value that is no label or no score of the scale, for
        scores of single sentences or below 0, for less than two labels or more than
        127, for less than 10 rows, and as `check_text`.
    """
    column = table.columns[choices[LABEL].column]
    place = f"{table.path}: {column.name!r}"
    inputs = [role for role in (*PAIR, *SINGLE) if role in choices]
    found = [value for value in column.counts if value not in UNLABELLED]
    if scale is None and not labels and column.is_score:
        scale = _find_scale(found, place)
    if scale is not None:
        _check_scores(found, scale, inputs, place)
    else:
        if not labels and len(found) < 2 and "-1" in column.counts:
            found.append("-1")
        labels = _check_labels(labels, found, place)
    texts = [table.columns[choices[role].column].values for role in inputs]
    rows: list[int] = []
    unlabelled, empty = 0, 0
    for row, value in enumerate(column.values):
        if not value.strip() or value not in labels and value in UNLABELLED:
            unlabelled += 1
        elif all(values[row].strip() for values in texts):
            for role, values in zip(inputs, texts, strict=True):
                check_text(values[row], f"{table.files[row]}: {role}")
            rows.append(row)
        else:
            empty += 1
    if len(rows) < LEAST_ROWS:
        raise InputError(
            f"{table.path}: {len(rows)} rows with label and texts, expected at least "
            f"{LEAST_ROWS}"
        )
    values = [column.values[row] for row in rows]
    if scale is None and len(set(values)) < 2:
        raise InputError(f"{place}: every row has the label {values[0][:40]!r}")
    return LabelledRows(
        rows,
        [tuple(values[row] for values in texts) for row in rows],
        values,
        tuple(labels),
        scale,
        unlabelled,
        empty,
    )


def find_splits(
    table: Table, choices: Mapping[str, Choice], rows: Sequence[int]
) -> list[str | None]:
    """Returns the split of each row by the split column, else by the name of its file
    (such as `dev.csv`); `None` if neither contains one."""
    if SPLIT in choices:
        values = table.columns[choices[SPLIT].column].values
        splits = {value: SPLIT_NAMES.get(value.strip().lower()) for value in values}
        unknown = [value for value, split in splits.items() if value and not split]
        if unknown:
            raise InputError(
                f"{table.path}: unknown split {unknown[0][:40]!r} in "
                f"{choices[SPLIT].column!r}. Known: {', '.join(SPLIT_NAMES)}"
            )
        return [splits[values[row]] for row in rows]
    by_file = {file: name_split(file) for file in set(table.files)}
    if len(by_file) < 2:
        return [None] * len(rows)
    return [by_file[table.files[row]] for row in rows]


def name_split(file):
    """Returns the split in the name of a file, `None` if there is none.

    Example:
        >>> from pathlib import Path
        >>> name_split(Path("my_data/pairs.valid.csv"))
        'dev'
    """
    words = file.name.lower().replace("-", ".").replace("_", ".").split(".")
    return next((SPLIT_NAMES[word] for word in words if word in SPLIT_NAMES), None)


def _find_scale(found, place):
    numbers = [parse_number(value) for value in found]
    lowest, highest = math.floor(min(numbers)), math.ceil(max(numbers))
    if lowest < 0 or highest - lowest >= MOST_LABELS:
        raise InputError(
            f"{place}: scores from {min(numbers):g} to {max(numbers):g}, expected a "
            f"scale from at least 0 with at most {MOST_LABELS} integers. Rescale them"
        )
    return lowest, max(highest, lowest + 1)


def _check_scores(found, scale, inputs, place):
    if len(inputs) == 1:
        raise InputError(f"{place}: scores are for pairs, and the rows have one text")
    for value in found:
        try:
            number = parse_number(value)
        except ValueError:
            number = math.nan
        if not scale[0] <= number <= scale[1]:
            raise InputError(
                f"{place}: expected scores from {scale[0]} to {scale[1]}. Received: "
                f"{value[:40]!r}"
            )


def _check_labels(labels, found, place):
    if labels:
        unknown = [value for value in found if value not in labels]
        if unknown:
            raise InputError(f"{place}: {unknown[0][:40]!r} is not one of --labels")
        return labels
    if len(found) < 2:
        shown = repr(found[0][:40]) if found else "none"
        raise InputError(f"{place}: expected at least two labels. Received: {shown}")
    if len(found) > MOST_LABELS:
        raise InputError(
            f"{place}: {len(found):,} labels. At most {MOST_LABELS} are possible"
        )
    if all(value.isdigit() for value in found):
        return sorted(found, key=int)
    return sorted(found)

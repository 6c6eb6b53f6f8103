"""Selects the labelled rows of a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dsa.data.corpora.example import check_text
from dsa.data.corpora.own import LABEL, SPLIT_NAMES, UNLABELLED
from dsa.errors import InputError
from dsa.experiment.data_parts import MAX_LABELS
from dsa.new_data.roles import SPLIT, Choice
from dsa.new_data.table import MIN_ROWS, Table
from dsa.parsing import parse_number
from dsa.tasks.task import PAIR, SINGLE


@dataclass(frozen=True)
class LabelledRows:
    """Labelled rows of a table with non-empty texts.

    Args:
        positions: positions of the rows in the table.
        texts: premise and hypothesis of each row, or its single sentence.
        values: label or score of each row, as text.
        labels: the distinct labels, sorted; empty for scores.
        scale: lowest and highest score; `None` for labels.
        unlabelled_count: number of rows without a label.
        empty_count: number of labelled rows with an empty text.
    """

    positions: list[int]
    texts: Sequence[tuple[str, ...]]
    values: Sequence[str]
    labels: tuple[str, ...]
    scale: tuple[int, int] | None
    unlabelled_count: int
    empty_count: int

    @property
    def class_ids(self) -> np.ndarray:
        """Class index of each row for stratified splits, `(N,)`. Scores are rounded
        to integers."""
        if self.scale is None:
            numbers = {label: number for number, label in enumerate(self.labels)}
            return np.array([numbers[value] for value in self.values])
        return np.rint([parse_number(value) for value in self.values]).astype(int)

    @property
    def repeats_texts(self) -> bool:
        """Whether any two rows have the same first text."""
        return len({texts[0] for texts in self.texts}) < len(self.texts)


def select_labelled_rows(
    table: Table,
    choices: Mapping[str, Choice],
    labels: Sequence[str] = (),
    scale: tuple[int, int] | None = None,
) -> LabelledRows:
    """Returns the labelled rows of a table.

    Args:
        table: the `Table`.
        choices: column of each role.
        labels: the labels; by default, all values of the label column except
            `UNLABELLED`. -1 counts as a label if fewer than two labels remain.
        scale: lowest and highest score; by default, labels unless the column contains
            scores.

    Raises: `InputError` for an unknown label, a score outside the scale, scores of
        single sentences, negative scores, fewer than 2 or more than 127 labels, fewer
        than 10 usable rows, and a text rejected by `check_text`.
    """
    column = table.columns[choices[LABEL].column]
    location = f"{table.path}: {column.name!r}"
    inputs = [role for role in (*PAIR, *SINGLE) if role in choices]
    distinct_values = [value for value in column.counts if value not in UNLABELLED]
    if scale is None and not labels and column.is_score:
        scale = _find_scale(distinct_values, location)
    if scale is not None:
        _check_scores(distinct_values, scale, inputs, location)
    else:
        if not labels and len(distinct_values) < 2 and "-1" in column.counts:
            distinct_values.append("-1")
        labels = _check_labels(labels, distinct_values, location)
    columns = [table.columns[choices[role].column].values for role in inputs]
    texts = list(zip(*columns, strict=True))  # texts of each row
    rows: list[int] = []
    unlabelled, empty = 0, 0
    for row, value in enumerate(column.values):
        if not value.strip() or (value in UNLABELLED and value not in labels):
            unlabelled += 1
        elif all(text.strip() for text in texts[row]):
            for role, text in zip(inputs, texts[row], strict=True):
                check_text(text, f"{table.files[row]}: {role}")
            rows.append(row)
        else:
            empty += 1
    if len(rows) < MIN_ROWS:
        raise InputError(
            f"{table.path}: expected at least {MIN_ROWS} rows with a label and "
            f"texts. Received: {len(rows)}"
        )
    values = [column.values[row] for row in rows]
    if scale is None and len(set(values)) < 2:
        raise InputError(f"{location}: every row has the label {values[0][:40]!r}")
    return LabelledRows(
        positions=rows,
        texts=[texts[row] for row in rows],
        values=values,
        labels=tuple(labels),
        scale=scale,
        unlabelled_count=unlabelled,
        empty_count=empty,
    )


def find_splits(
    table: Table, choices: Mapping[str, Choice], rows: Sequence[int]
) -> list[str | None]:
    """Returns the split of each row, or `None` for a row without a split.

    The split is read from the split column or, without this column, from the name of
    the row's file, such as `dev.csv`.

    Raises: `InputError` for an unknown name of a split.
    """
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
    by_file = {file: parse_split(file) for file in set(table.files)}
    if len(by_file) < 2:
        return [None] * len(rows)
    return [by_file[table.files[row]] for row in rows]


def parse_split(file):
    """Returns the split named in a file name, or `None`.

    Example:
        >>> from pathlib import Path
        >>> parse_split(Path("my_data/pairs.valid.csv"))
        'dev'
    """
    words = file.name.lower().replace("-", ".").replace("_", ".").split(".")
    return next((SPLIT_NAMES[word] for word in words if word in SPLIT_NAMES), None)


def _find_scale(distinct_values, location):
    numbers = [parse_number(value) for value in distinct_values]
    lowest, highest = math.floor(min(numbers)), math.ceil(max(numbers))
    if lowest < 0 or highest - lowest >= MAX_LABELS:
        raise InputError(
            f"{location}: scores from {min(numbers):g} to {max(numbers):g}, expected a "
            f"scale from at least 0 with at most {MAX_LABELS} integers. Rescale the "
            "scores"
        )
    return lowest, max(highest, lowest + 1)


def _check_scores(distinct_values, scale, inputs, location):
    if len(inputs) == 1:
        raise InputError(
            f"{location}: scores require pairs. Received: single sentences"
        )
    for value in distinct_values:
        try:
            number = parse_number(value)
        except ValueError:
            number = math.nan
        if not scale[0] <= number <= scale[1]:
            raise InputError(
                f"{location}: expected scores from {scale[0]} to {scale[1]}. Received: "
                f"{value[:40]!r}"
            )


def _check_labels(labels, distinct_values, location):
    if labels:
        unknown = [value for value in distinct_values if value not in labels]
        if unknown:
            raise InputError(
                f"{location}: unknown label {unknown[0][:40]!r}. "
                f"--labels: {', '.join(labels)}"
            )
        return labels
    if len(distinct_values) < 2:
        shown = repr(distinct_values[0][:40]) if distinct_values else "none"
        raise InputError(f"{location}: expected at least two labels. Received: {shown}")
    if len(distinct_values) > MAX_LABELS:
        raise InputError(
            f"{location}: expected at most {MAX_LABELS} labels. "
            f"Received: {len(distinct_values):,}"
        )
    if all(value.isdigit() for value in distinct_values):
        return sorted(distinct_values, key=int)
    return sorted(distinct_values)

"""Selects the labelled rows of a table."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dsa.data.corpora.example import check_text
from dsa.data.corpora.own import LABEL, SPLIT_NAMES, UNLABELLED
from dsa.errors import InputError
from dsa.experiment.data_parts import MAX_LABELS
from dsa.new_data.roles import SENTENCE, SPLIT, ColumnChoice
from dsa.new_data.table import MIN_ROWS, Table
from dsa.parsing import parse_number
from dsa.tasks.task import PAIR

SCORE_QUANTILES = (0.2, 0.4, 0.6, 0.8)  # limits of the classes of scores
MIN_LABEL_SHARE = 0.05  # of the rows of a file, for the label -1 beside 0 and 1


@dataclass(frozen=True)
class LabelledRows:
    """Labelled rows of a table with non-empty texts.

    Args:
        positions: positions of the rows in the table.
        texts: one tuple per row, with its premise and hypothesis or its sentence.
        values: label or score of each row, as a string.
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
        """Class index of each row for stratified splits, `(N,)`. Scores are divided
        into at most five classes of about equal size."""
        if self.scale is None:
            ids = {label: class_id for class_id, label in enumerate(self.labels)}
            return np.array([ids[value] for value in self.values])
        scores = np.array([parse_number(value) for value in self.values])
        distinct = np.unique(scores)
        # a limit at the lowest score would leave the first class empty
        lowest_limit = distinct[min(1, len(distinct) - 1)]
        limits = np.maximum(np.quantile(scores, SCORE_QUANTILES), lowest_limit)
        return np.searchsorted(np.unique(limits), scores, side="right")

    @property
    def repeats_texts(self) -> bool:
        """Whether several rows have the same first text."""
        first_texts = {texts[0] for texts in self.texts}
        return len(first_texts) < len(self.texts)


def select_labelled_rows(
    table: Table,
    choices: Mapping[str, ColumnChoice],
    labels: Sequence[str] = (),
    scale: tuple[int, int] | None = None,
) -> LabelledRows:
    """Selects the rows of a table that have a label or score and no empty text.

    Args:
        table: the table.
        choices: column of each role.
        labels: the labels. By default, all values of the label column except
            `UNLABELLED` are labels, and -1 is a label in the cases of
            `_is_minus_one_label`.
        scale: lowest and highest score. By default, the scale is inferred if the
            column contains scores; otherwise, its values are labels. Whole numbers of
            single sentences, which have no scores, are labels.

    Raises: `InputError` if `labels` and `scale` are both given, a label is unknown, a
        score is negative or outside the scale, single sentences have scores, there are
        fewer than 2 or more than 127 labels, fewer than 10 rows are selected, or
        `check_text` rejects a text.
    """
    column = table.columns[choices[LABEL].column]
    location = f"{table.path}: {column.name!r}"
    inputs = [role for role in (*PAIR, SENTENCE) if role in choices]
    if labels and scale is not None:
        raise InputError("--labels and --scores cannot be combined")
    labels, scale = _find_labels(column, table.files, inputs, labels, scale, location)
    text_columns = [table.columns[choices[role].column].values for role in inputs]
    texts = list(zip(*text_columns, strict=True))  # texts of each row
    rows: list[int] = []
    unlabelled_count = 0
    empty_count = 0
    for row, value in enumerate(column.values):
        if not value.strip() or (value in UNLABELLED and value not in labels):
            unlabelled_count += 1
        elif all(text.strip() for text in texts[row]):
            for role, text in zip(inputs, texts[row], strict=True):
                check_text(text, f"{table.files[row]}: {role}")
            rows.append(row)
        else:
            empty_count += 1
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
        unlabelled_count=unlabelled_count,
        empty_count=empty_count,
    )


def _find_labels(column, files, inputs, labels, scale, location):  # noqa: PLR0913
    """Returns the labels and the scale of a label column, see `select_labelled_rows`.

    Labels are empty for scores, and the scale is `None` for labels.
    """
    distinct_values = [value for value in column.counts if value not in UNLABELLED]
    can_be_score = len(inputs) > 1 or column.has_fractions
    if scale is None and not labels and column.is_score and can_be_score:
        scale = _find_scale(distinct_values, location)
    if scale is not None:
        _check_scores(distinct_values, scale, inputs, location)
        return (), scale
    if not labels and _is_minus_one_label(column, files, distinct_values):
        distinct_values.append("-1")
    return _check_labels(labels, distinct_values, location), None


def find_splits(
    table: Table, choices: Mapping[str, ColumnChoice], rows: Sequence[int]
) -> list[str | None]:
    """Returns the split of each row; `None` for a row without a split.

    The split is read from the split column. Without a split column, the splits of two
    or more files are read from their names, such as `dev.csv`.

    Args:
        table: the table.
        choices: column of each role.
        rows: positions of the rows in the table.

    Raises: `InputError` if the split column contains an unknown name, or if only some
        of the file names contain a split.
    """
    if SPLIT in choices:
        column = table.columns[choices[SPLIT].column]
        split_by_value = {}
        for value in dict.fromkeys(column.values):
            split = SPLIT_NAMES.get(value.strip().lower())
            if value.strip() and split is None:
                raise InputError(
                    f"{table.path}: unknown split {value[:40]!r} in {column.name!r}. "
                    f"Known splits: {', '.join(SPLIT_NAMES)}"
                )
            split_by_value[value] = split
        return [split_by_value[column.values[row]] for row in rows]
    split_by_file = {file: parse_split(file) for file in set(table.files)}
    if len(split_by_file) < 2:
        return [None] * len(rows)
    if any(split_by_file.values()):
        for file, split in split_by_file.items():
            if split is None:
                raise InputError(
                    f"{file}: the split of this file is unknown, because its name "
                    "contains none of train, dev and test, while other names do. "
                    "Rename the file"
                )
    return [split_by_file[table.files[row]] for row in rows]


def parse_split(file: Path) -> str | None:
    """Returns the first split in a file name, or `None`.

    Example:
        >>> from pathlib import Path
        >>> parse_split(Path("my_data/pairs.valid.csv"))
        'dev'
        >>> parse_split(Path("test (1).csv"))
        'test'
    """
    for word in re.findall("[a-z]+", file.name.lower()):
        if word in SPLIT_NAMES:
            return SPLIT_NAMES[word]
    return None


def _find_scale(distinct_values, location):
    """Returns the lowest and highest score, rounded to integers. Raises `InputError` if
    a score is negative or the scale has too many integers."""
    numbers = [parse_number(value) for value in distinct_values]
    lowest, highest = math.floor(min(numbers)), math.ceil(max(numbers))
    if lowest < 0 or highest - lowest >= MAX_LABELS:
        raise InputError(
            f"{location}: scores must not be negative, and their scale must contain at "
            f"most {MAX_LABELS} integers. Received: scores from {min(numbers):g} to "
            f"{max(numbers):g}. Rescale the scores"
        )
    return lowest, max(highest, lowest + 1)


def _check_scores(distinct_values, scale, inputs, location):
    """Raises `InputError` if single sentences have scores, or a value is not a number
    within the scale."""
    lowest, highest = scale
    if len(inputs) == 1:
        raise InputError(
            f"{location}: scores require pairs. Received: single sentences"
        )
    for value in distinct_values:
        try:
            number = parse_number(value)
        except ValueError:
            number = math.nan
        if not lowest <= number <= highest:
            raise InputError(
                f"{location}: expected scores from {lowest} to {highest}. Received: "
                f"{value[:40]!r}"
            )


def _check_labels(labels, distinct_values, location):
    """Returns the given labels or, without labels, the sorted distinct values. Raises
    `InputError` for an unknown label, and for too few or too many labels."""
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
    if all(value.removeprefix("-").isdecimal() for value in distinct_values):
        return sorted(distinct_values, key=int)
    return sorted(distinct_values)


def _is_minus_one_label(column, files, others):
    """Returns whether -1 is a label and not the mark of an unlabelled row.

    It is a label beside fewer than two other labels, beside another negative number,
    and, as in -1, 0, 1, if a file with both of the labels 0 and 1 has it in at least
    `MIN_LABEL_SHARE` of its rows.

    Args:
        column: the label column.
        files: file of each row.
        others: the labels except -1.
    """
    if "-1" not in column.counts:
        return False
    if len(others) < 2 or any(re.fullmatch(r"-\d+", label) for label in others):
        return True
    if set(others) != {"0", "1"}:
        return False
    values_by_file: dict[Path, list[str]] = {}
    for file, value in zip(files, column.values, strict=True):
        values_by_file.setdefault(file, []).append(value)
    return any(
        {"0", "1"} <= set(values)
        and values.count("-1") >= MIN_LABEL_SHARE * len(values)
        for values in values_by_file.values()
    )

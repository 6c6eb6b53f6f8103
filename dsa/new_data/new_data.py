"""Creates a folder with splits and configs for a user's data."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.own import GROUP, ID, LABEL, SPLIT_NAMES
from dsa.errors import InputError
from dsa.new_data.configs import (
    START_RELEASE,
    VECTOR_FILE,
    list_commands,
    write_configs,
)
from dsa.new_data.counts import describe_rows
from dsa.new_data.held_out import hold_out
from dsa.new_data.labelled_rows import find_splits, select_labelled_rows
from dsa.new_data.roles import SENTENCE, choose_columns
from dsa.new_data.table import read_table, write_rows
from dsa.new_data.word_vectors import write_word_vectors
from dsa.parsing import parse_number
from dsa.system.atomic_files import create_folder
from dsa.tasks.task import PAIR

SPLITS = ("train", "dev", "test")
DEFAULT_FOLDER = "new_data"  # for files that are named after a split


def name_folder(path: Path | str) -> Path:
    """Returns the default folder for a file: the name of the file without suffixes.

    Example:
        >>> name_folder("downloads/quora.csv.gz")
        PosixPath('quora')
    """
    name = Path(path).name.split(".")[0]
    if not name or name.lower() in SPLIT_NAMES:
        return Path(DEFAULT_FOLDER)
    return Path(name)


def write_new_data(  # noqa: PLR0913
    files: Sequence[Path | str],
    folder: Path | str,
    columns: Mapping[str, str],
    shares: Mapping[str, float],
    labels: Sequence[str] = (),
    scale: tuple[int, int] | None = None,
) -> list[str]:
    """Splits labelled files, and writes the splits and configs to a new folder.

    Args:
        files: CSV, TSV, JSON lines or Parquet files with the same columns.
        folder: the new folder.
        columns: columns that the user has given, `{role: column}`, see
            `choose_columns`.
        shares: see `hold_out`.
        labels, scale: see `select_labelled_rows`.

    Returns: lines of a summary: the columns, counts, the written files and the commands
        that train the models.

    Raises: `InputError` if the folder exists or hides the release `START_RELEASE`, or
        the files cannot be read or split. No files are written in these cases.
    """
    folder = Path(folder)
    if os.path.lexists(folder):
        raise InputError(f"{folder}: exists already. Choose another --out")
    if folder.absolute() == Path(START_RELEASE).absolute():
        raise InputError(
            f"{folder}: a folder takes precedence over the release of this name, from "
            "which a config starts. Choose another --out"
        )
    if sum(shares.values()) >= 1:
        raise InputError("--test-share and --dev-share must leave rows for train")
    table = read_table(files)
    choices = choose_columns(table, columns)
    rows = select_labelled_rows(table, choices, labels, scale)
    splits = find_splits(table, choices, rows.positions)
    splits, grouping = hold_out(splits, rows.texts, rows.class_ids, dict(shares))
    with create_folder(folder) as temporary:
        temporary.mkdir(parents=True)
        for split in SPLITS:
            split_rows = [
                _make_row(table, choices, rows, index)
                for index in np.flatnonzero(splits == split)
            ]
            write_rows(split_rows, temporary / f"{split}.jsonl")
        configs = write_configs(_build_data_section(choices, rows), temporary, folder)
        write_word_vectors(START_RELEASE, temporary / f"{VECTOR_FILE}.gz")
        written = sorted(path.name for path in temporary.iterdir())
    counts = Counter(splits.tolist())
    sizes = ", ".join(f"{split} {counts[split]:,}" for split in SPLITS)
    lines = [
        f"{', '.join(map(str, files))}: {len(table.rows):,} rows",
        "columns (--columns ROLE=COLUMN changes them):",
    ]
    for role, choice in choices.items():
        lines.append(f"  {role:10} {choice.column!r}: {choice.reason}")
    lines += describe_rows(rows)
    lines += [
        f"splits: {sizes}; {grouping}",
        f"written to {folder}: {', '.join(written)}",
        "next:",
    ]
    return lines + [f"  {command}" for command in list_commands(configs)]


def _build_data_section(choices, rows):
    """Returns the section `data` of the configs."""
    columns = {}
    for role in (*PAIR, SENTENCE, LABEL, ID, GROUP):
        if role in choices:
            columns[role] = choices[role].column
    data: dict[str, Any] = {"corpus": "own", "columns": columns}
    if rows.scale is None:
        data["labels"] = list(rows.labels)
    else:
        lowest, highest = rows.scale
        data["scores"] = {"lowest": lowest, "highest": highest}
    for split in SPLITS:
        data[split] = f"{split}.jsonl"
    if rows.repeats_texts:
        data["split_by_text"] = True  # for `dsa sweep --folds`
    return data


def _make_row(table, choices, rows, index):
    """Returns a row of the table, with texts and label converted to the types that
    `corpus: own` requires. A missing id or group is `None`.

    Args:
        index: position in the `LabelledRows`.
    """
    row = dict(table.rows[rows.positions[index]])
    for role in (ID, GROUP):
        if role in choices:
            row.setdefault(choices[role].column)  # JSON lines can lack a key
    inputs = [role for role in (*PAIR, SENTENCE) if role in choices]
    for role, text in zip(inputs, rows.texts[index], strict=True):
        row[choices[role].column] = text
    value = rows.values[index]
    row[choices[LABEL].column] = value if rows.scale is None else parse_number(value)
    return row

"""Rows of input files in all supported formats.

Text and JSON lines are read by `dsa.data.corpora.input_files`. CSV, TSV, Parquet, and
JSON lines with other keys are read by column names. Pyarrow is used for Parquet only.
Its CSV reader also ends a row at a lone carriage return, drops empty lines and
unbalanced quotes, and its errors have no line number.
"""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.data.corpora.example import MAX_TOKENS, Example, check_length
from dsa.data.corpora.files import get_suffix
from dsa.data.corpora.own import (
    ID,
    LABEL,
    has_columns,
    has_own_columns,
    read_own_unlabelled,
)
from dsa.data.corpora.parquet import SUFFIX as PARQUET
from dsa.errors import InputError
from dsa.inference.file_forms import FORMS
from dsa.tasks.task import PAIR, SINGLE

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig

SENTENCES, PAIRS, QUESTIONS = "sentences", "pairs", "questions"
COLUMNS = {  # default columns of files with named columns
    SENTENCES: dict(zip(SINGLE, SINGLE, strict=True)),
    PAIRS: dict(zip(PAIR, ("sentence1", "sentence2"), strict=True)),
}
NAMED = {SENTENCES: (".csv", ".tsv", PARQUET), PAIRS: (".csv", PARQUET)}
CHUNK = 2**24  # bytes

Columns = dict[str, str] | None  # {input: column}; `None` for unnamed columns


def parse_columns(texts: Sequence[str], form: str, labelled: bool = False) -> Columns:
    """Parses values of `--columns`, such as `sentence=review`.

    Args:
        texts: the values.
        form: "sentences", "pairs" or "questions".
        labelled: whether a column `label` is also required.

    Returns: `{input: column}`; `None` for an empty `texts`.

    Raises: `InputError` for an unknown or missing input.
    """
    if not texts:
        return None
    if form not in COLUMNS:
        raise InputError(f"--columns: a file of {form} has fixed columns")
    required = list(COLUMNS[form])
    if labelled:
        required.append(LABEL)
    columns: dict[str, str] = {}
    for text in texts:
        name, equal, column = text.partition("=")
        is_known = name in (*required, ID) and name not in columns
        if not (equal and column and is_known):
            raise InputError(
                f"--columns must be {'=NAME '.join(required)}=NAME and optionally "
                f"{ID}=NAME. Received: {text[:80]!r}"
            )
        columns[name] = column
    missing = [name for name in required if name not in columns]
    if missing:
        raise InputError(f"--columns: {missing[0]}=NAME is missing")
    return columns


def find_columns(
    path: Path | str,
    form: str,
    columns: Columns,
    data: "DataConfig | None" = None,
) -> Columns:
    """Determines the columns of a file.

    Args:
        path: the file.
        form: "sentences", "pairs" or "questions".
        columns: columns selected by the user, which take precedence; `None` to select
            them by name.
        data: the `data` section of a run's config. Its columns are used if the file
            contains them.

    Returns: `{input: column}`. By default, columns have the names of the inputs, or
        SNLI's names `sentence1` and `sentence2`. `None` for a file without named
        columns.
    """
    if columns is not None:
        return columns
    fallback = COLUMNS.get(form)
    inputs = tuple(COLUMNS.get(form, ()))
    names = {} if data is None or data.columns is None else data.columns.names
    if inputs and set(inputs) <= set(names):
        fallback = {name: names[name] for name in (*inputs, ID) if name in names}
        if has_own_columns(path, inputs, names):
            return fallback
    if get_suffix(path) not in NAMED.get(form, ()):
        return None
    for candidate in (dict(zip(inputs, inputs, strict=True)), COLUMNS[form]):
        if has_columns(path, candidate.values()):
            return candidate
    return fallback  # reading raises an error that lists these columns


def read_rows(
    path: Path | str, form: str, columns: Columns = None
) -> Iterator[Example]:
    """Yields an `Example` without label for every row of a file.

    Args:
        path: the file.
        form: "sentences", "pairs" or "questions".
        columns: see `find_columns`.

    Raises: `InputError` with file, row and reason for an unreadable row.
    """
    if columns is None:
        return FORMS[form].read(path)
    return read_own_unlabelled(path, tuple(COLUMNS[form]), columns)


def read_examples(path: Path, form: str, columns: Columns = None) -> Iterator[Example]:
    """Yields the rows of a file; see `read_rows`.

    Raises: `InputError` as `read_rows`, and for an empty text.
    """
    for example in read_rows(path, form, columns):
        for text in example.texts:
            if not text.strip():
                raise InputError(f"{path}, row {example.row}: a text is empty")
        yield example


def read_shards(
    path: Path, form: str, columns: Columns, shard_rows: int
) -> Iterator[list[Example]]:
    """Yields lists of `shard_rows` rows; the last list can be shorter.

    The answers to a question are not divided, so that a list can be longer.

    Raises: `InputError` as `read_examples`.
    """
    rows: list[Example] = []
    for example in read_examples(path, form, columns):
        if len(rows) >= shard_rows:
            is_same_question = form == QUESTIONS and example.group == rows[-1].group
            if not is_same_question:
                yield rows
                rows = []
        rows.append(example)
    yield rows


def check_token_counts(
    examples: Iterable[Example], tokenize: Callable[[str], list[str]], path: Path | str
) -> None:
    """Raises `InputError` for a text with more than 4,000 tokens.

    Only long texts are tokenized: a character produces at most three tokens.
    """
    for example in examples:
        for text in example.texts:
            if 3 * len(text) + 2 > MAX_TOKENS:
                name = f"{path}, row {example.row}: a text"
                check_length(len(tokenize(text)), name)


def keep_standard_input(folder: Path, named: bool) -> Path:
    """Copies standard input to a file, in constant memory.

    Args:
        folder: the folder of the file.
        named: whether the user selects columns by name.

    Returns: the path of the copy, with the suffix of `guess_suffix`.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed")
    for old_copy in folder.glob("input.*"):
        old_copy.unlink()
    with open(sys.stdin.fileno(), "rb", closefd=False) as file:
        first = file.read(CHUNK)
        path = folder / f"input{guess_suffix(first, named)}"
        with open(path, "wb") as copy:
            copy.write(first)
            shutil.copyfileobj(file, copy, CHUNK)
    return path


def guess_suffix(first: bytes, named: bool) -> str:
    """Guesses the suffix of an input from its first bytes.

    Args:
        first: the first bytes.
        named: whether the user selects columns by name.
    """
    line = first.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0]
    if first.startswith(b"PAR1"):
        return PARQUET
    if line.lstrip().startswith(b"{"):
        return ".jsonl"
    if not named:
        return ".txt"
    return ".tsv" if b"\t" in line else ".csv"

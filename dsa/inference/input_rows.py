"""Rows of an input file of any form.

Text and JSON lines are read by `dsa.data.corpora.input_files`. CSV, TSV, Parquet, and
JSON lines with other keys are read by the names of columns. Only Parquet is read with
pyarrow: its CSV reader also ends a row at a lone carriage return, drops empty lines and
unbalanced quotes, and its errors contain no line number.
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
    """Parses texts such as `sentence=review`.

    Args:
        texts: the texts.
        form: "sentences", "pairs" or "questions".
        labelled: whether `label` is required too.

    Returns: `{input: column}`, or `None` without texts.

    Raises: `InputError` for an unknown or missing input.
    """
    if not texts:
        return None
    if form not in COLUMNS:
        raise InputError(f"--columns: a file of {form} has fixed columns")
    needed = list(COLUMNS[form])
    if labelled:
        needed.append(LABEL)
    columns: dict[str, str] = {}
    for text in texts:
        name, equal, column = text.partition("=")
        if not (equal and column) or name not in (*needed, ID) or name in columns:
            raise InputError(
                f"--columns must be {'=NAME '.join(needed)}=NAME and optionally "
                f"{ID}=NAME. Received: {text[:80]!r}"
            )
        columns[name] = column
    missing = [name for name in needed if name not in columns]
    if missing:
        raise InputError(f"--columns: {missing[0]}=NAME is missing")
    return columns


def find_columns(
    path: Path | str, form: str, given: Columns, data: "DataConfig | None" = None
) -> Columns:
    """Determines the columns of a file.

    Args:
        path: the file.
        form: "sentences", "pairs" or "questions".
        given: the columns given by the user, which take precedence.
        data: the `data` section of a run's config, whose columns are used if the file
            contains them.

    Returns: `{input: column}`. The defaults are the names of the inputs, or SNLI's
        `sentence1` and `sentence2`; `None` for a file without named columns.
    """
    if given is not None:
        return given
    last = COLUMNS.get(form)
    inputs = tuple(COLUMNS.get(form, ()))
    names = {} if data is None or data.columns is None else data.columns.names
    if inputs and set(inputs) <= set(names):
        own = {name: names[name] for name in (*inputs, ID) if name in names}
        if has_own_columns(path, inputs, names):
            return own
        last = own  # listed in the error
    if get_suffix(path) not in NAMED.get(form, ()):
        return None
    for columns in (dict(zip(inputs, inputs, strict=True)), COLUMNS[form]):
        if has_columns(path, columns.values()):
            return columns
    return last


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
    """Yields the rows of a file; see `read_rows`. An empty text is an error."""
    for example in read_rows(path, form, columns):
        for text in example.texts:
            if not text.strip():
                raise InputError(f"{path}, row {example.row}: a text is empty")
        yield example


def read_shards(
    path: Path, form: str, columns: Columns, shard_rows: int
) -> Iterator[list[Example]]:
    """Yields lists of `shard_rows` rows; the last one can be shorter.

    The answers to a question stay together, which can make a list longer.

    Raises: `InputError` as `read_examples`.
    """
    rows: list[Example] = []
    for example in read_examples(path, form, columns):
        if len(rows) >= shard_rows:
            if form != QUESTIONS or example.group != rows[-1].group:
                yield rows
                rows = []
        rows.append(example)
    yield rows


def check_token_counts(
    examples: Iterable[Example], tokenize: Callable[[str], list[str]], path: Path | str
) -> None:
    """Raises `InputError` for a text with more than 4,000 tokens.

    A token has at least one character, and a character gives at most three tokens.
    """
    for example in examples:
        for text in example.texts:
            if 3 * len(text) + 2 > MAX_TOKENS:
                place = f"{path}, row {example.row}: a text"
                check_length(len(tokenize(text)), place)


def keep_standard_input(folder: Path, named: bool) -> Path:
    """Copies standard input to a file, in constant memory.

    Args:
        folder: the folder of the file.
        named: whether the user names the columns.

    Returns: the path; see `guess_suffix`.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed")
    for earlier in folder.glob("input.*"):
        earlier.unlink()
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
        named: whether the user names the columns.
    """
    line = first.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0]
    if first.startswith(b"PAR1"):
        return PARQUET
    if line.lstrip().startswith(b"{"):
        return ".jsonl"
    if not named:
        return ".txt"
    return ".tsv" if b"\t" in line else ".csv"

"""Rows of input files in all supported formats.

Text and JSON lines are read by `dsa.data.corpora.input_files`. CSV, TSV, Parquet, and
JSON lines with keys selected by the user are read by column names. Pyarrow is used for
Parquet only. Its CSV reader drops empty lines and unbalanced quotes, treats a lone
carriage return as the end of a row, and reports errors without a line number.
"""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.data.corpora.column_rows import has_columns
from dsa.data.corpora.example import MAX_TOKENS, Example, check_length
from dsa.data.corpora.files import get_suffix
from dsa.data.corpora.own import ID, LABEL, has_own_columns, read_own_unlabelled
from dsa.data.corpora.parquet import PARQUET_SUFFIX
from dsa.errors import InputError
from dsa.inference.file_forms import FORMS

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig

SENTENCES, PAIRS, QUESTIONS = "sentences", "pairs", "questions"
COLUMNS = {  # default columns of files with named columns
    SENTENCES: {"sentence": "sentence"},
    PAIRS: {"premise": "sentence1", "hypothesis": "sentence2"},
}
CANDIDATES = {  # columns to search for, in order of preference
    SENTENCES: [COLUMNS[SENTENCES]],
    PAIRS: [{"premise": "premise", "hypothesis": "hypothesis"}, COLUMNS[PAIRS]],
}
# a TSV file of pairs is read by `dsa.data.corpora.input_files`
NAMED_COLUMN_SUFFIXES = {
    SENTENCES: (".csv", ".tsv", PARQUET_SUFFIX),
    PAIRS: (".csv", PARQUET_SUFFIX),
}
CHUNK_SIZE = 2**24  # bytes

Columns = dict[str, str] | None  # {input: column}; `None` for unnamed columns


def parse_columns(
    assignments: Sequence[str], form: str, labelled: bool = False
) -> Columns:
    """Parses values of `--columns`, such as `sentence=review`.

    Args:
        assignments: the values.
        form: "sentences", "pairs" or "questions".
        labelled: whether a column `label` is also required.

    Returns: `{input: column}`; `None` for empty `assignments`.

    Raises: `InputError` if an input is unknown, repeated or missing, or if the files
        have fixed columns.
    """
    if not assignments:
        return None
    if form not in COLUMNS:
        raise InputError(
            f"--columns is not supported for a file of {form}, which has fixed columns"
        )
    required = list(COLUMNS[form])
    if labelled:
        required.append(LABEL)
    usage = " ".join(f"{name}=NAME" for name in required)
    columns: dict[str, str] = {}
    for assignment in assignments:
        name, _, column = assignment.partition("=")
        if name not in (*required, ID) or not column:
            raise InputError(
                f"--columns must be {usage} and optionally {ID}=NAME. Received: "
                f"{assignment[:80]!r}"
            )
        if name in columns:
            raise InputError(f"--columns: {name} is given twice")
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
    """Returns the columns of the inputs in a file.

    Args:
        path: the file.
        form: "sentences", "pairs" or "questions".
        columns: columns selected by the user, which are returned unchanged; `None` to
            infer the columns from the file.
        data: the `data` section of a run's config. Its columns are used if the file
            contains them.

    Returns: `{input: column}`. The default columns have the names of the inputs, or
        SNLI's names `sentence1` and `sentence2`. `None` for a file without named
        columns.
    """
    if columns is not None:
        return columns
    if form not in COLUMNS:
        return None
    inputs = tuple(COLUMNS[form])
    configured = _get_configured_columns(data, inputs)
    if configured is not None and has_own_columns(path, inputs, configured):
        if not has_columns(path, configured.values()):  # without the id
            return {name: configured[name] for name in inputs}
        return configured
    if get_suffix(path) not in NAMED_COLUMN_SUFFIXES[form]:
        return None
    for candidate in CANDIDATES[form]:
        if has_columns(path, candidate.values()):
            return candidate
    # reading raises an error that lists the columns of the file
    return configured or COLUMNS[form]


def _get_configured_columns(data, inputs):
    """Returns the columns of the inputs and of the id in a run's config.

    `None` if the config does not set the columns of all inputs.
    """
    if data is None or data.columns is None:
        return None
    names = data.columns.names
    if any(name not in names for name in inputs):
        return None
    return {name: names[name] for name in (*inputs, ID) if name in names}


def read_rows(
    path: Path | str, form: str, columns: Columns = None
) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every row of a file.

    Args:
        path: the file.
        form: "sentences", "pairs" or "questions".
        columns: see `find_columns`.

    Raises: `InputError` with file, row and reason if a row is malformed.
    """
    if columns is None:
        return FORMS[form].read(path)
    return read_own_unlabelled(path, tuple(COLUMNS[form]), columns)


def read_nonempty_rows(
    path: Path, form: str, columns: Columns = None
) -> Iterator[Example]:
    """Yields the rows of a file; see `read_rows`.

    Raises: `InputError` if a text is empty or a row is malformed.
    """
    for example in read_rows(path, form, columns):
        for text in example.texts:
            if not text.strip():
                raise InputError(f"{path}, row {example.row}: a text is empty")
        yield example


def read_shards(
    path: Path, form: str, columns: Columns, shard_rows: int
) -> Iterator[list[Example]]:
    """Yields the rows of a file in shards: lists of `shard_rows` rows.

    The last shard can be shorter. All answers to a question are in the same shard,
    which can therefore be longer.

    Raises: `InputError`, see `read_nonempty_rows`.
    """
    rows: list[Example] = []
    for example in read_nonempty_rows(path, form, columns):
        is_same_question = (
            form == QUESTIONS and bool(rows) and example.group == rows[-1].group
        )
        if len(rows) >= shard_rows and not is_same_question:
            yield rows
            rows = []
        rows.append(example)
    yield rows


def check_token_counts(
    examples: Iterable[Example], tokenize: Callable[[str], list[str]], path: Path | str
) -> None:
    """Raises `InputError` for a text with more than `MAX_TOKENS` tokens.

    A text of n characters has at most 3 n + 2 tokens, so shorter texts are not
    tokenized: `Tokenizer.extra_split` converts a character to at most three tokens, and
    `Tokenizer.boundaries` adds two tokens.
    """
    for example in examples:
        for text in example.texts:
            if 3 * len(text) + 2 > MAX_TOKENS:
                location = f"{path}, row {example.row}: a text"
                check_length(len(tokenize(text)), location)


def copy_standard_input(folder: Path, named: bool) -> Path:
    """Copies standard input to a file, in constant memory.

    Earlier copies (`input.*`) in the folder are deleted.

    Args:
        folder: the folder of the file.
        named: whether the user selects columns by name.

    Returns: the path of the copy. Its suffix is guessed by `guess_suffix`.

    Raises: `InputError` if standard input is closed.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed")
    for old_copy in folder.glob("input.*"):
        old_copy.unlink()
    with open(sys.stdin.fileno(), "rb", closefd=False) as file:
        first_bytes = file.read(CHUNK_SIZE)
        path = folder / f"input{guess_suffix(first_bytes, named)}"
        with open(path, "wb") as copy:
            copy.write(first_bytes)
            shutil.copyfileobj(file, copy, CHUNK_SIZE)
    return path


def guess_suffix(first_bytes: bytes, named: bool) -> str:
    """Guesses the file name suffix of an input from its first bytes.

    Args:
        first_bytes: the first bytes of the input.
        named: whether the user selects columns by name.
    """
    line = first_bytes.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0]
    if first_bytes.startswith(b"PAR1"):
        return PARQUET_SUFFIX
    if line.lstrip().startswith(b"{"):
        return ".jsonl"
    if not named:
        return ".txt"
    return ".tsv" if b"\t" in line else ".csv"

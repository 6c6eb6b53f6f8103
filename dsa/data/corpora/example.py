"""Rows of corpora, and checks that all readers share."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dsa.errors import InputError
from dsa.parsing import format_value, is_missing

MAX_CHARACTERS = 50_000  # sentence splitting takes quadratic time
MAX_TOKENS = 4_000  # attention takes quadratic memory
# names of the id column in SNLI, SICK, ANLI, Quora, Kaggle's Quora, and GLUE
ID_COLUMNS = ("pairID", "pair_ID", "id", "uid", "qid", "test_id", "idx", "index")
BRACKETS = {  # escapes of the Penn Treebank
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


class Example(NamedTuple):
    """A row of a corpus: a sentence or a sentence pair."""

    texts: tuple[str, ...]  # premise and hypothesis, or a single sentence
    label: str | float | None  # label or score; `None` if unlabelled (`-` in SNLI)
    id: str | None  # id in the corpus
    group: str | None  # genre or other group to report metrics for, or question id
    parses: tuple[str, ...] | None  # binary parse of each text
    row: int  # row number, counted from 1 after the header line

    @property
    def name(self) -> str:
        """The id, or the row number if there is no id."""
        return str(self.row) if self.id is None else self.id


def to_id(value: Any) -> str | None:
    """Returns an id or a group as valid Unicode text, see `format_value`; `None` for a
    missing value."""
    if is_missing(value):
        return None
    return format_value(value).encode(errors="replace").decode()


def find_id(row: Mapping[str, Any]) -> str | None:
    """Returns the first non-empty value in the columns `ID_COLUMNS` of a row, or
    `None`."""
    for name in ID_COLUMNS:
        value = row.get(name)
        if not is_missing(value) and value != "":
            return to_id(value)
    return None


def check_examples(
    examples: Iterable[Example], path: Path | str, rows_name: str = "rows"
) -> Iterator[Example]:
    """Yields the examples of a reader after checking their texts and parses.

    Args:
        examples: the examples.
        path: the file, for error messages.
        rows_name: plural noun for the rows in error messages.

    Raises: `InputError` if `check_text` rejects a text or a parse, or if there are no
        rows.
    """
    example = None
    for example in examples:
        location = f"{path}, row {example.row}"
        for number, text in enumerate(example.texts, start=1):
            name = f"'sentence{number}'" if len(example.texts) > 1 else "the sentence"
            check_text(text, f"{location}: {name}")
        for parse in example.parses or ():
            check_text(parse, f"{location}: the parse")
        yield example
    if example is None:
        raise InputError(f"{path}: the file contains no {rows_name}")


def check_text(text: str, location: str) -> None:
    """Raises `InputError` if a text has more than 50,000 characters or contains an
    unpaired surrogate.

    Args:
        text: the text.
        location: description of the text for error messages, such as its file and row.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{location} must have at most {MAX_CHARACTERS:,} characters. "
            f"Received: {len(text):,}"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{location} is not valid Unicode: an unpaired surrogate, or bytes that "
            "are not UTF-8"
        ) from error


def check_length(num_tokens: int, location: str) -> None:
    """Raises `InputError` if a sentence has more than 4,000 tokens.

    Args:
        num_tokens: number of tokens of the sentence.
        location: description of the sentence for error messages.
    """
    if num_tokens > MAX_TOKENS:
        raise InputError(
            f"{location} must have at most {MAX_TOKENS:,} tokens. "
            f"Received: {num_tokens:,}"
        )

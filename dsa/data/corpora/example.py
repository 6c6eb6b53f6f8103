"""Rows of corpora, and the checks shared by all readers."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dsa.errors import InputError

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
    """Returns an id or a group as valid Unicode text, or `None` for a missing value."""
    return None if value is None else str(value).encode(errors="replace").decode()


def find_id(row: Mapping[str, Any]) -> str | None:
    """Returns the first non-empty value of `ID_COLUMNS` in a row, or `None`."""
    for name in ID_COLUMNS:
        value = row.get(name)
        if value not in (None, ""):
            return to_id(value)
    return None


def check_examples(
    examples: Iterable[Example], path: Path | str, rows: str = "rows"
) -> Iterator[Example]:
    """Yields the examples of a reader after checking their texts and parses.

    Args:
        examples: the examples.
        path: the file, for error messages.
        rows: plural noun for the rows in error messages.

    Raises: `InputError` for a text or a parse rejected by `check_text`, with file and
        row, and for a file without rows.
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
        raise InputError(f"{path}: no {rows}")


def check_text(text: str, location: str) -> None:
    """Raises `InputError` for an unpaired surrogate or more than 50,000 characters.

    Args:
        text: the text.
        location: description of the text for error messages, such as file and row.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{location} has {len(text):,} characters. The maximum is "
            f"{MAX_CHARACTERS:,}"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{location} is not valid Unicode: an unpaired surrogate, or bytes that "
            "are not UTF-8"
        ) from error


def check_length(tokens: int, location: str) -> None:
    """Raises `InputError` for a sentence of more than 4,000 tokens; `location` is as in
    `check_text`."""
    if tokens > MAX_TOKENS:
        raise InputError(
            f"{location} has {tokens:,} tokens. The maximum is {MAX_TOKENS:,}"
        )

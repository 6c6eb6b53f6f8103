"""A row of a corpus, and the checks common to the rows of all files."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dsa.errors import InputError

MAX_CHARACTERS = 50_000  # sentence splitting takes quadratic time
MAX_TOKENS = 4_000  # attention takes quadratic memory
# of SNLI, SICK, ANLI, Quora, Kaggle, and GLUE by Hugging Face and by its authors
ID_COLUMNS = ("pairID", "pair_ID", "id", "uid", "qid", "test_id", "idx", "index")
BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


class Example(NamedTuple):
    """A sentence or a sentence pair."""

    texts: tuple[str, ...]  # premise and hypothesis, or a single sentence
    label: str | float | None  # label or score; `None` if unlabelled (`-` in SNLI)
    id: str | None  # id in the corpus
    group: str | None  # genre or other part to report separately, or question id
    parses: tuple[str, ...] | None  # one per text
    row: int  # from 1, without the header line

    @property
    def name(self) -> str:
        """The id, or the row number if there is no id."""
        return str(self.row) if self.id is None else self.id


def to_id(value: Any) -> str | None:
    """Returns an id or a group as valid Unicode text; `None` for a missing value."""
    return None if value is None else str(value).encode(errors="replace").decode()


def find_id(row: Mapping[str, Any]) -> str | None:
    """Returns the id of a row: the value of the first of `ID_COLUMNS` that the row has;
    `None` if there is none."""
    values = (row.get(name) for name in ID_COLUMNS)
    return next((to_id(value) for value in values if value not in (None, "")), None)


def check_examples(
    examples: Iterable[Example], path: Path | str, rows: str = "rows"
) -> Iterator[Example]:
    """Yields the examples of a reader after checking their texts and parses.

    Args:
        path: the file, for error messages.
        rows: the noun for rows in error messages.

    Raises: `InputError` with file and row as `check_text`, and for a file without rows.
    """
    example = None
    for example in examples:
        place = f"{path}, row {example.row}"
        for number, text in enumerate(example.texts, start=1):
            name = f"'sentence{number}'" if len(example.texts) > 1 else "the sentence"
            check_text(text, f"{place}: {name}")
        for parse in example.parses or ():
            check_text(parse, f"{place}: the parse")
        yield example
    if example is None:
        raise InputError(f"{path}: no {rows}")


def check_text(text: str, place: str) -> None:
    """Raises `InputError` for an unpaired surrogate or more than 50,000 characters.
    `place` names the text."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{place} has {len(text):,} characters. The maximum is {MAX_CHARACTERS:,}"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place} is not valid Unicode: an unpaired surrogate, or bytes that are "
            "not UTF-8"
        ) from error


def check_length(tokens: int, place: str) -> None:
    """Raises `InputError` for a sentence of more than 4,000 tokens."""
    if tokens > MAX_TOKENS:
        raise InputError(
            f"{place} has {tokens:,} tokens. The maximum is {MAX_TOKENS:,}"
        )

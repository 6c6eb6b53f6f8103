"""One row of a corpus, and the checks that the rows of every file must pass."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dsa.errors import InputError

MAX_CHARACTERS = 50_000  # the sentence splitter's time grows by the square
MAX_TOKENS = 4_000  # so does the memory of attention
BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


class Example(NamedTuple):
    """A sentence, or a pair of them, as the corpus gives it."""

    texts: tuple[str, ...]  # premise and hypothesis, or the one sentence
    label: str | float | None  # of the task, or a score; `None` for none (SNLI's `-`)
    id: str | None  # the corpus's own
    group: str | None  # a part to report separately (a genre), or the row's question
    parses: tuple[str, ...] | None  # as many as texts
    row: int  # from 1; a header line does not count

    @property
    def name(self) -> str:
        """The row's id, else its number."""
        return str(self.row) if self.id is None else self.id


def to_id(value: Any) -> str | None:
    """Returns an id or a group as a text that UTF-8 can hold; `None` for none."""
    return None if value is None else str(value).encode(errors="replace").decode()


def check_examples(
    examples: Iterable[Example], path: Path | str, rows: str = "rows"
) -> Iterator[Example]:
    """Yields what a reader yields, as far as it can be read: readers need not check it.
    `path` and `rows`, the word for its rows, are for errors.

    Raises: `InputError` with file and row for a text or a parse as
        `check_text`, and for a file without any row.
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
    """Raises: `InputError` for half of a surrogate pair (which UTF-8 cannot hold) and
    more than 50,000 characters; `place` names the text."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{place} has {len(text):,} characters; a sentence has at most "
            f"{MAX_CHARACTERS:,}"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place} is no Unicode text: half of a surrogate pair, or bytes that are "
            "not UTF-8"
        ) from error


def check_length(tokens: int, place: str) -> None:
    """Raises: `InputError` for a sentence of more than 4,000 tokens."""
    if tokens > MAX_TOKENS:
        raise InputError(
            f"{place} has {tokens:,} tokens; a sentence has at most {MAX_TOKENS:,}"
        )

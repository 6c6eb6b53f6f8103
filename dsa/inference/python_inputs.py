"""Rows and texts as a Python caller gives them: checked, as lists, and tokenized."""

import reprlib
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.errors import InputError
from dsa.tasks.task import PAIR, SINGLE, Task

MOST_NAMES = 5  # of a dictionary or a table that has no row, in a message

Row = str | Sequence[str] | Mapping[str, str]  # of `predict`
Rows = Row | Iterable[Row]
Texts = str | Iterable[str]  # of `encode`

# what files call the inputs: keys of a dictionary can be these too
FILE_NAMES = {PAIR: ("sentence1", "sentence2")}


def read_rows(rows: Rows, inputs: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Rows of sentences as tuples of texts.

    Args:
        rows: an iterable, such as a list or a generator, of rows: a text, a tuple or a
            list of texts, or a dictionary with the names of the inputs. A text, a
            dictionary, and a tuple of as many texts as there are inputs are one row. Or
            a table, such as a pandas `DataFrame`, with columns of these names.
        inputs: the names of the sentences of a row.

    Returns: a list of tuples, each with at least one text.

    Raises: `InputError` for anything else, with the number of the row.
    """
    given: Any = rows
    if _is_table(rows):
        return _read_table(rows, inputs)
    if isinstance(rows, (str, Mapping)) or _is_one_tuple(rows, inputs):
        given = [rows]
    numbered = enumerate(_iterate(given, "rows"), start=1)
    return [_read_row(row, inputs, f"row {number}") for number, row in numbered]


def read_texts(texts: Texts) -> list[str]:
    """Single texts as a list; a string is one text. Of a table, such as a pandas
    `DataFrame`, the column `sentence`.

    Raises: `InputError` for anything but texts, with the number of the text.
    """
    if _is_table(texts):
        return [text for (text,) in _read_table(texts, SINGLE)]
    texts = [texts] if isinstance(texts, str) else _iterate(texts, "texts")
    return [_check_text(text, f"text {n}") for n, text in enumerate(texts, start=1)]


def check_row_size(run: Path, task: Task, texts: Sequence[str]) -> None:
    """Checks that there are as many texts as the task of a run has inputs.

    Raises: `InputError`.
    """
    if len(texts) != len(task.inputs):
        kind = "single sentences" if task.inputs == SINGLE else "sentence pairs"
        raise InputError(
            f"{run}: a run of task '{task.name}' reads {kind} and answers with "
            f"{task.answers}. Received: {len(texts)} text{'s' * (len(texts) != 1)}"
        )


def check_batch_size(batch_size: int | None) -> None:
    """Raises `InputError` unless it is `None` or a whole number from 1."""
    if batch_size is not None and not (isinstance(batch_size, int) and batch_size > 0):
        raise InputError(
            f"'batch_size' must be a whole number from 1. Received: {batch_size!r}"
        )


def _is_one_tuple(rows, inputs):
    """Whether these are the texts of one row. A list of two texts can be two rows."""
    texts = isinstance(rows, tuple) and all(isinstance(text, str) for text in rows)
    return texts and len(rows) == len(inputs) and inputs != SINGLE


def _iterate(rows: Any, what: str):
    if isinstance(rows, Set):
        raise InputError(f"{what} need an order. Received: a {type(rows).__name__}")
    if isinstance(rows, (bytes, Mapping)) or not isinstance(rows, Iterable):
        raise InputError(f"{what} must be an iterable of them. Received: {_show(rows)}")
    return rows


def _read_row(row: Any, inputs: tuple[str, ...], place: str) -> tuple[str, ...]:
    if isinstance(row, str):
        return (row,)
    if isinstance(row, Mapping):
        return _read_mapping(row, inputs, place)
    if isinstance(row, (bytes, Set)) or not isinstance(row, Iterable):
        raise InputError(
            f"{place}: a text, a tuple of texts or a dictionary is needed. Received: "
            f"{_show(row)}"
        )
    texts = tuple(row)
    names = inputs if len(texts) == len(inputs) else range(1, len(texts) + 1)
    pairs = zip(names, texts, strict=True)
    return tuple(_check_text(text, f"{name} of {place}") for name, text in pairs)


def _read_mapping(row, inputs, place):
    names = _choose_names(row, inputs, f"{place}: a dictionary with")
    return tuple(_check_text(row[name], f"{name} of {place}") for name in names)


def _choose_names(given, inputs, what):
    """The names that the inputs have among those that are given.

    Raises: `InputError` if one is missing; it begins with `what`.
    """
    choices = [inputs, *([FILE_NAMES[inputs]] if inputs in FILE_NAMES else [])]
    for names in choices:
        if set(names) <= set(given):
            return names
    needed = ", or ".join(" and ".join(names) for names in choices)
    received = ", ".join(map(reprlib.repr, list(given)[:MOST_NAMES])) or "none"
    raise InputError(f"{what} {needed} is needed. Received: {received}")


def _is_table(rows):
    return hasattr(rows, "columns") and hasattr(rows, "to_dict")


def _read_table(table, inputs):
    _choose_names(table.columns, inputs, "a table with the columns")
    is_of_polars = hasattr(table, "to_dicts")
    rows = table.to_dicts() if is_of_polars else table.to_dict("records")
    return [
        _read_mapping(row, inputs, f"row {number}")
        for number, row in enumerate(rows, start=1)
    ]


def _check_text(text, place):
    if not isinstance(text, str):
        raise InputError(f"the {place} is no text. Received: {_show(text)}")
    return text


def _show(value):
    return f"{reprlib.repr(value)} ({type(value).__name__})"


def prepare_texts(trained: Any, rows: Iterable[Sequence[str]], source: str) -> Any:
    """The `PreparedCorpus` of rows of texts, as a `TrainedModel` sees them."""
    examples = [
        Example(tuple(texts), None, str(number), None, None, number)
        for number, texts in enumerate(rows, start=1)
    ]
    tokenizer = RawTextTokenizer(trained.tokenizer)
    prepared = from_examples(examples, tokenizer, trained.task, source)
    return trained.experiment.view.apply(prepared)


class RawTextTokenizer:
    """A tokenizer over texts that come without parses."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    @property
    def settings(self) -> list[Any]:
        """What decides the tokens of a text."""
        return ["raw", *self.tokenizer.settings]

    def __call__(self, text: str, parse: Any = None) -> list[str]:
        return self.tokenizer(text)

    def pair_with_parses(self, example, path):
        return ((text, None) for text in example.texts)

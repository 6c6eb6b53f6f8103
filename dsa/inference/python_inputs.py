"""Rows and texts passed by a Python caller: validation and conversion to lists."""

import reprlib
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Integral
from pathlib import Path
from typing import Any

from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.task import PAIR, SINGLE, Task

MAX_NAMES = 5  # keys or columns listed in a message

Row = str | Sequence[str] | Mapping[str, str]  # of `predict`
Rows = Row | Iterable[Row]
Texts = str | Iterable[str]  # of `encode`
Columns = Mapping[str, str] | None  # {input: column}

# alternative keys of a dictionary: the column names of NLI files
FILE_NAMES = {PAIR: ("sentence1", "sentence2")}


def read_rows(
    rows: Rows,
    inputs: tuple[str, ...],
    run_columns: Columns = None,
    columns: Columns = None,
) -> list[tuple[str, ...]]:
    """Returns rows of sentences as tuples of texts.

    Args:
        rows: an iterable, such as a list or a generator, of rows: a text, a tuple or a
            list of texts, or a dictionary with the names of the inputs. A text, a
            dictionary, and a tuple with a text for each input are a single row. Or a
            table, such as a pandas `DataFrame`, with columns of these names.
        inputs: names of the sentences of a row.
        run_columns: `{input: column}` of the run's config, used for rows with these
            names.
        columns: `{input: column}`, the only names that are accepted.

    Returns: a list of tuples, each with at least one text.

    Raises: `InputError` for other values, with the number of the row.
    """
    given: Any = rows
    choices = _list_choices(inputs, run_columns, columns)
    if is_table(rows):
        return _read_table(rows, choices)
    if isinstance(rows, (str, Mapping)) or _is_single_pair(rows, inputs):
        given = [rows]
    numbered = enumerate(_check_iterable(given, "rows"), start=1)
    return [
        _read_row(row, inputs, choices, f"row {number}") for number, row in numbered
    ]


def read_texts(texts: Texts, run_columns: Columns = None) -> list[str]:
    """Returns single texts as a list.

    Args:
        texts: an iterable of texts, a single text, or a table, such as a pandas
            `DataFrame`, with a column `sentence`.
        run_columns: see `read_rows`.

    Raises: `InputError` for other values, with the number of the text.
    """
    if is_table(texts):
        choices = _list_choices(SINGLE, run_columns, None)
        return [text for (text,) in _read_table(texts, choices)]
    texts = [texts] if isinstance(texts, str) else _check_iterable(texts, "texts")
    return [_check_text(text, f"text {n}") for n, text in enumerate(texts, start=1)]


def make_examples(rows: Iterable[tuple[str, ...]]) -> list[Example]:
    """Returns rows of texts as `Example`s without labels, numbered from 1."""
    return [
        Example(texts, None, str(number), None, None, number)
        for number, texts in enumerate(rows, start=1)
    ]


def check_row_size(run: Path, task: Task, texts: Sequence[str]) -> None:
    """Raises `InputError` if the number of texts differs from the inputs of a task."""
    if len(texts) != len(task.inputs):
        kind = "single sentences" if task.inputs == SINGLE else "sentence pairs"
        received = "1 text" if len(texts) == 1 else f"{len(texts)} texts"
        raise InputError(
            f"{run}: a run of task '{task.name}' reads {kind} and predicts "
            f"{task.answers}. Received: {received}"
        )


def join_texts(rows: Rows, others: Sequence[str]) -> Rows:
    """Returns the rows of a call such as `predict("A man sleeps.", "He is awake.")`,
    whose texts are one row; without further texts, the rows unchanged."""
    return [(rows, *others)] if others else rows  # pyright: ignore[reportReturnType]


def split_pair(pair: Any) -> tuple[Any, Any]:
    """Returns the two texts of a pair.

    Raises: `InputError` for anything else.
    """
    if not isinstance(pair, (tuple, list)) or len(pair) != len(PAIR):
        raise InputError(f"two texts are needed. Received: {_show(pair)}")
    return pair[0], pair[1]


def check_switch(value: Any, name: str) -> None:
    """Raises `InputError` for a value other than `True` and `False`."""
    if not isinstance(value, bool):
        raise InputError(f"'{name}' must be True or False. Received: {value!r}")


def check_batch_size(batch_size: int | None) -> None:
    """Raises `InputError` for a batch size other than `None` or a positive integer."""
    is_integer = isinstance(batch_size, Integral)  # NumPy integers too
    if batch_size is not None and not (is_integer and batch_size > 0):
        raise InputError(
            f"'batch_size' must be a positive integer. Received: {batch_size!r}"
        )


def _list_choices(inputs, run_columns, columns):
    """Returns the names that rows can have, the preferred ones first.

    Raises: `InputError` if `columns` has no name for an input.
    """
    if columns is not None:
        if not isinstance(columns, Mapping) or not set(columns) == set(inputs):
            raise InputError(
                f"'columns' must be a dictionary with the keys {' and '.join(inputs)}. "
                f"Received: {_show(columns)}"
            )
        return [tuple(columns[name] for name in inputs)]
    choices = [inputs]
    if run_columns is not None and set(inputs) <= set(run_columns):
        choices.insert(0, tuple(run_columns[name] for name in inputs))
    if inputs in FILE_NAMES:
        choices.append(FILE_NAMES[inputs])
    return list(dict.fromkeys(choices))


def _is_single_pair(rows, inputs):
    """Returns whether a tuple is one row. A list of two texts can be two rows."""
    texts = isinstance(rows, tuple) and all(isinstance(text, str) for text in rows)
    return texts and len(rows) == len(inputs) and inputs != SINGLE


def _check_iterable(values: Any, name: str):
    """Returns an iterable of rows or texts.

    Raises: `InputError` for other values; `name` starts the message.
    """
    if isinstance(values, Set):
        raise InputError(f"{name} must be ordered. Received: a {type(values).__name__}")
    if isinstance(values, (bytes, Mapping)) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be an iterable. Received: {_show(values)}")
    return values


def _read_row(
    row: Any, inputs: tuple[str, ...], choices: list[tuple], place: str
) -> tuple[str, ...]:
    if isinstance(row, str):
        return (row,)
    if isinstance(row, Mapping):
        return _read_mapping(row, choices, place)
    if isinstance(row, (bytes, Set)) or not isinstance(row, Iterable):
        raise InputError(
            f"{place} must be a text, a tuple of texts or a dictionary. Received: "
            f"{_show(row)}"
        )
    texts = tuple(row)
    names = inputs if len(texts) == len(inputs) else range(1, len(texts) + 1)
    pairs = zip(names, texts, strict=True)
    return tuple(_check_text(text, f"{name} of {place}") for name, text in pairs)


def _read_mapping(row, choices, place):
    names = _choose_names(row, choices, f"{place}: a dictionary")
    return tuple(_check_text(row[name], f"{name} of {place}") for name in names)


def _choose_names(given, choices, container):
    """Returns the first choice of keys or columns that all exist.

    Raises: `InputError` if there is none; `container` starts the message.
    """
    for names in choices:
        if set(names) <= set(given):
            return names
    needed = ", or ".join(" and ".join(map(str, names)) for names in choices)
    received = ", ".join(map(reprlib.repr, list(given)[:MAX_NAMES])) or "none"
    raise InputError(f"{container} needs {needed}. Received: {received}")


def is_table(rows: Any) -> bool:
    """Returns whether rows are a table of pandas or Polars."""
    return hasattr(rows, "columns") and hasattr(rows, "to_dict")


def make_table(table: Any, predictions: Sequence[Any], task: Task) -> Any:
    """Returns predictions as a table of the same kind and index as their rows.

    Args:
        table: the table of the rows.
        predictions: a `Prediction` or `Score` per row.
        task: the task, with the names of the logits.
    """
    answer = "label" if isinstance(task, Classification) else "score"
    columns: dict[str, list] = {answer: [getattr(p, answer) for p in predictions]}
    for name in task.names:
        columns[str(name)] = [p.probabilities[name] for p in predictions]
    index = {"index": table.index} if hasattr(table, "index") else {}
    return type(table)(columns, **index)


def _read_table(table, choices):
    _choose_names(table.columns, choices, "a table")
    is_polars = hasattr(table, "to_dicts")
    rows = table.to_dicts() if is_polars else table.to_dict("records")
    return [
        _read_mapping(row, choices, f"row {number}")
        for number, row in enumerate(rows, start=1)
    ]


def _check_text(text, place):
    if not isinstance(text, str):
        raise InputError(f"the {place} must be a text. Received: {_show(text)}")
    return text


def _show(value):
    return f"{reprlib.repr(value)} ({type(value).__name__})"


class RawTextTokenizer:
    """Tokenizer that ignores parses.

    Args:
        tokenizer: the `Tokenizer` of a run.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    @property
    def settings(self) -> list[Any]:
        """Settings that determine the tokens of a text."""
        return ["raw", *self.tokenizer.settings]

    def __call__(self, text: str, parse: Any = None) -> list[str]:
        return self.tokenizer(text)

    def pair_with_parses(self, example, path):
        """Yields the texts of a row, each with `None` instead of a parse."""
        return ((text, None) for text in example.texts)

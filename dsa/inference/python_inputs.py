"""Validation and conversion of rows and texts passed from Python."""

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

Row = str | Sequence[str] | Mapping[str, str]
Rows = Row | Iterable[Row]  # argument of `predict`
Texts = str | Iterable[str]  # argument of `encode`
Columns = Mapping[str, str] | None  # {input: column}

# {input names: alternative names}, as in the files of SNLI
ALTERNATIVE_NAMES: dict[tuple[str, ...], tuple[str, ...]] = {
    PAIR: ("sentence1", "sentence2")
}


def read_rows(
    rows: Rows,
    inputs: tuple[str, ...],
    run_columns: Columns = None,
    columns: Columns = None,
) -> list[tuple[str, ...]]:
    """Reads rows passed from Python, as tuples of texts.

    Args:
        rows: a table, such as a pandas `DataFrame`; an iterable of rows, such as a list
            or a generator; or a single row. A row is a text, a tuple or list of texts,
            or a dictionary. Columns and keys have the names of the inputs. A list of
            texts is read as several rows.
        inputs: input names of the task.
        run_columns: `{input: column}` from the run's config, as alternative names.
        columns: `{input: column}`, the only accepted names; `None` to accept the names
            of the inputs and alternative names.

    Returns: a list of tuples of texts. The number of texts is not checked.

    Raises: `InputError` with the number of the row if a value has another type or
        lacks an input.
    """
    iterable: Any = rows
    accepted = _list_accepted_names(inputs, run_columns, columns)
    if is_table(rows):
        return _read_table(rows, accepted)
    if isinstance(rows, (str, Mapping)) or _is_single_pair(rows, inputs):
        iterable = [rows]
    return [
        _read_row(row, inputs, accepted, f"row {number}")
        for number, row in enumerate(_check_iterable(iterable, "rows"), start=1)
    ]


def read_texts(texts: Texts, run_columns: Columns = None) -> list[str]:
    """Reads texts passed from Python, as a list.

    Args:
        texts: an iterable of texts, a single text, or a table, such as a pandas
            `DataFrame`, with a column `sentence`.
        run_columns: see `read_rows`.

    Raises: `InputError` with the number of the text if a value has another type.
    """
    if is_table(texts):
        accepted = _list_accepted_names(SINGLE, run_columns, None)
        return [text for (text,) in _read_table(texts, accepted)]
    if isinstance(texts, str):
        texts = [texts]
    return [
        _check_text(text, f"text {number}")
        for number, text in enumerate(_check_iterable(texts, "texts"), start=1)
    ]


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
    """Joins the arguments of a call such as `predict("A man sleeps.", "He is awake.")`.

    Args:
        rows: the first argument: rows, or the first text of a single row.
        others: the other texts of a single row.

    Returns: the rows.
    """
    if others:
        return [(rows, *others)]  # pyright: ignore[reportReturnType]
    return rows


def split_pair(pair: Any) -> tuple[Any, Any]:
    """Returns the two texts of a pair.

    Raises: `InputError` if `pair` is not a tuple or list of two values.
    """
    if not isinstance(pair, (tuple, list)) or len(pair) != len(PAIR):
        raise InputError(f"expected two texts. Received: {_format_value(pair)}")
    return pair[0], pair[1]


def check_boolean(value: Any, name: str) -> None:
    """Raises `InputError` if an argument is not `True` or `False`.

    Args:
        value: value of the argument.
        name: name of the argument in the message.
    """
    if not isinstance(value, bool):
        raise InputError(f"'{name}' must be True or False. Received: {value!r}")


def check_batch_size(batch_size: int | None) -> None:
    """Raises `InputError` if a batch size is not `None` or a positive integer."""
    if batch_size is None:
        return
    is_integer = isinstance(batch_size, Integral)  # includes NumPy integers
    if not is_integer or batch_size < 1:
        raise InputError(
            f"'batch_size' must be a positive integer. Received: {batch_size!r}"
        )


def _list_accepted_names(inputs, run_columns, columns):
    """Returns tuples of accepted column names, in order of preference.

    Args:
        inputs, run_columns, columns: see `read_rows`.

    Raises: `InputError` if the keys of `columns` differ from the inputs.
    """
    if columns is not None:
        if not isinstance(columns, Mapping) or set(columns) != set(inputs):
            raise InputError(
                f"'columns' must be a dictionary with the keys {' and '.join(inputs)}. "
                f"Received: {_format_value(columns)}"
            )
        return [tuple(columns[name] for name in inputs)]
    accepted = [inputs]
    if run_columns is not None and all(name in run_columns for name in inputs):
        accepted.insert(0, tuple(run_columns[name] for name in inputs))
    if inputs in ALTERNATIVE_NAMES:
        accepted.append(ALTERNATIVE_NAMES[inputs])
    return list(dict.fromkeys(accepted))  # without duplicates


def _is_single_pair(rows, inputs):
    """Returns whether rows are a single pair, given as a tuple of texts.

    A list of two texts is read as two rows.
    """
    if inputs == SINGLE or not isinstance(rows, tuple) or len(rows) != len(inputs):
        return False
    return all(isinstance(text, str) for text in rows)


def _check_iterable(values, name):
    """Returns the values if they are an ordered iterable of rows or texts.

    Args:
        values: the values.
        name: name of the values in the message.

    Raises: `InputError` if they are not ordered or not iterable.
    """
    if isinstance(values, Set):
        raise InputError(f"{name} must be ordered. Received: {type(values).__name__}")
    if isinstance(values, (bytes, Mapping)) or not isinstance(values, Iterable):
        raise InputError(
            f"{name} must be an iterable. Received: {_format_value(values)}"
        )
    return values


def _read_row(row, inputs, accepted, row_name):
    """Returns the texts of a row.

    Args:
        row: text, iterable of texts, or dictionary.
        inputs: input names of the task.
        accepted: result of `_list_accepted_names`.
        row_name: name of the row in messages, such as "row 1".
    """
    if isinstance(row, str):
        return (row,)
    if isinstance(row, Mapping):
        return _read_mapping(row, accepted, row_name)
    if isinstance(row, (bytes, Set)) or not isinstance(row, Iterable):
        raise InputError(
            f"{row_name} must be a text, a tuple of texts or a dictionary. Received: "
            f"{_format_value(row)}"
        )
    texts = tuple(row)
    names = inputs
    if len(texts) != len(inputs):  # the caller rejects the row; use text numbers
        names = range(1, len(texts) + 1)
    pairs = zip(names, texts, strict=True)
    return tuple(_check_text(text, f"{name} of {row_name}") for name, text in pairs)


def _read_mapping(row, accepted, row_name):
    """Returns the texts of a row given as a dictionary."""
    names = _select_names(row, accepted, f"{row_name}: a dictionary")
    return tuple(_check_text(row[name], f"{name} of {row_name}") for name in names)


def _select_names(available, accepted, container):
    """Returns the first tuple of accepted names that are all available.

    Args:
        available: keys of a dictionary or columns of a table.
        accepted: result of `_list_accepted_names`.
        container: name of the dictionary or table in the message.

    Raises: `InputError` if no tuple is available.
    """
    for names in accepted:
        if set(names) <= set(available):
            return names
    expected = ", or ".join(" and ".join(map(str, names)) for names in accepted)
    received = ", ".join(map(reprlib.repr, list(available)[:MAX_NAMES])) or "none"
    raise InputError(f"{container} requires {expected}. Received: {received}")


def is_table(rows: Any) -> bool:
    """Returns whether rows are a `DataFrame` of pandas or Polars."""
    return hasattr(rows, "columns") and hasattr(rows, "to_dict")


def make_table(table: Any, predictions: Sequence[Any], task: Task) -> Any:
    """Returns predictions as a table with the type and the index of their rows.

    Args:
        table: the table of the rows.
        predictions: a `Prediction`, `Score` or `Relevance` for each row.
        task: the task.
    """
    has_labels = isinstance(task, Classification) and not task.ranks
    answer = "label" if has_labels else "score"
    columns: dict[str, list] = {
        answer: [getattr(prediction, answer) for prediction in predictions]
    }
    for name in task.names:
        columns[str(name)] = [
            prediction.probabilities[name] for prediction in predictions
        ]
    if hasattr(table, "index"):  # pandas
        return type(table)(columns, index=table.index)
    return type(table)(columns)


def _read_table(table, accepted):
    """Returns the texts of each row of a `DataFrame`."""
    _select_names(table.columns, accepted, "a table")
    if hasattr(table, "to_dicts"):  # Polars
        rows = table.to_dicts()
    else:
        rows = table.to_dict("records")
    return [
        _read_mapping(row, accepted, f"row {number}")
        for number, row in enumerate(rows, start=1)
    ]


def _check_text(text, name):
    """Returns a text. Raises `InputError` if it is not a string."""
    if not isinstance(text, str):
        raise InputError(f"the {name} must be a text. Received: {_format_value(text)}")
    return text


def _format_value(value):
    """Returns an abbreviated `repr` of a value with its type, for a message."""
    return f"{reprlib.repr(value)} ({type(value).__name__})"

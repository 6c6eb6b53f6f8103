"""What clients may ask: the body of a request as rows, within bounds."""

import json

from dsa.data.corpora.example import check_text
from dsa.errors import InputError
from dsa.inference.python_inputs import read_rows, read_texts

SHOWN_KEYS = 5


class TooLarge(InputError):
    """More than a bound allows."""


# what the body of a request to a path holds, and how many rows it is
KEYS = {"predict": "rows", "encode": "texts", "explain": "row"}


def read_question(kind, body, task, bounds):
    """The rows of a request.

    Args:
        kind: a key of `KEYS`.
        body: bytes of JSON: `{"rows": [...]}` with pairs as lists or dictionaries, or
            with sentences; `{"texts": [...]}`; or one `{"row": ...}`.
        task: the run's task.
        bounds: the `Bounds`.

    Returns: a list of tuples of texts, as many as the task's inputs; one text each for
        "encode".

    Raises: `InputError` with one line, `TooLarge` among them.

    Example:
        >>> from dsa.inference.serving.bounds import Bounds
        >>> from dsa.tasks.classification import Classification
        >>> task = Classification("nli", ("premise", "hypothesis"), ("yes", "no"))
        >>> body = b'{"rows": [["A man sleeps.", "A man rests."]]}'
        >>> read_question("predict", body, task, Bounds())
        [('A man sleeps.', 'A man rests.')]
    """
    key = KEYS[kind]
    value = _read_value(body, key)
    if kind != "explain" and not isinstance(value, list):
        raise InputError(f"'{key}' must be a list. Received: {_name_type(value)}")
    items = [value] if kind == "explain" else value
    if len(items) > bounds.request_rows:
        raise TooLarge(
            f"'{key}' has {len(items):,} items; a request has at most "
            f"{bounds.request_rows:,}"
        )
    if kind == "encode":
        rows = [(text,) for text in read_texts(items)]
        names = ("text",)
    else:
        rows = read_rows(items, task.inputs)
        names = task.inputs
    for number, row in enumerate(rows, start=1):
        _check_row(row, names, number, bounds)
    return rows


def _read_value(body, key):
    """What a JSON object with one key holds."""
    try:
        content = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"the body is not UTF-8: byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise InputError(
            f"the body must be a JSON object with '{key}'. Received: "
            f"{_name_type(content)}"
        )
    if list(content) != [key]:
        given = ", ".join(repr(name[:40]) for name in list(content)[:SHOWN_KEYS])
        raise InputError(f"'{key}' is needed, and no more. Received: {given or 'none'}")
    return content[key]


JSON_TYPES = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    type(None): "null",
}


def _name_type(value):
    """What JSON calls a value."""
    return JSON_TYPES.get(type(value), "a number")


def _check_row(row, names, number, bounds):
    """Raises an error for a sentence where pairs are read, and the other way round."""
    if len(row) != len(names):
        raise InputError(
            f"row {number}: this run reads {' and '.join(names)}. Received: "
            f"{len(row)} text{'s' * (len(row) != 1)}"
        )
    for name, text in zip(names, row, strict=True):
        _check_text(text, f"the {name} of row {number}", bounds)


def _check_text(text, place, bounds):
    if not text.split():
        raise InputError(f"{place} is empty")
    if len(text) > bounds.text_characters:
        raise TooLarge(
            f"{place} has {len(text):,} characters; a text has at most "
            f"{bounds.text_characters:,}"
        )
    check_text(text, place)

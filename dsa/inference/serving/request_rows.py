"""Parsing of request bodies."""

import json

from dsa.data.corpora.example import check_text
from dsa.errors import InputError
from dsa.inference.python_inputs import read_rows, read_texts
from dsa.inference.serving.limits import Limits, TooLargeError

KEYS = {"predict": "rows", "encode": "texts", "explain": "row"}  # of the body


def parse_rows(
    kind: str, body: bytes, inputs: tuple[str, ...], limits: Limits
) -> list[tuple[str, ...]]:
    """Parses and validates the rows of a request.

    Args:
        kind: "predict", "encode" or "explain".
        body: JSON object: `{"rows": [...]}` for "predict", `{"texts": [...]}` for
            "encode", `{"row": ...}` for "explain". A row is a pair as an array or an
            object, or a single sentence.
        inputs: input names of the run's task.
        limits: the `Limits` of a request.

    Returns: a list of tuples with one text per input; with a single text for "encode".

    Raises: `InputError` if the body is invalid; `TooLargeError` if the number of rows
        or the length of a text exceeds its limit.

    Example:
        >>> body = b'{"rows": [["A man sleeps.", "A man rests."]]}'
        >>> parse_rows("predict", body, ("premise", "hypothesis"), Limits())
        [('A man sleeps.', 'A man rests.')]
    """
    key = KEYS[kind]
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body is not JSON: {error}") from error
    if not isinstance(content, dict) or list(content) != [key]:
        raise InputError(f"the body must be a JSON object with the single key '{key}'")
    items = [content[key]] if kind == "explain" else content[key]
    if not isinstance(items, list):
        raise InputError(f"'{key}' must be an array")
    if len(items) > limits.request_rows:
        raise TooLargeError(
            f"'{key}' is limited to {limits.request_rows:,} items. Received: "
            f"{len(items):,}"
        )
    if kind == "encode":
        inputs = ("text",)
        rows = [(text,) for text in read_texts(items)]
    else:
        rows = read_rows(items, inputs)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(inputs):
            raise InputError(
                f"row {number}: expected {' and '.join(inputs)}. "
                f"Number of texts received: {len(row)}"
            )
        for name, text in zip(inputs, row, strict=True):
            check_request_text(text, f"the {name} of row {number}", limits)
    return rows


def check_request_text(text: str, name: str, limits: Limits) -> None:
    """Raises `InputError` if a text is empty, too long, or invalid Unicode.

    Args:
        text: the text.
        name: name of the text in the message, such as "the premise".
        limits: the `Limits` of a request.
    """
    if not text.split():
        raise InputError(f"{name} is empty")
    if len(text) > limits.text_characters:
        raise TooLargeError(
            f"{name} is limited to {limits.text_characters:,} characters. Received: "
            f"{len(text):,}"
        )
    check_text(text, name)

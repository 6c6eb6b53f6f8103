"""What clients may ask: the body of a request as rows, within bounds."""

from typing import Any

import pydantic

from dsa.data.corpora.example import check_text
from dsa.errors import InputError
from dsa.inference.python_inputs import read_rows, read_texts
from dsa.inference.serving.bounds import Bounds


class TooLarge(InputError):
    """More than a bound allows."""


class _Body(pydantic.BaseModel, extra="forbid", strict=True):
    pass


class _Rows(_Body):
    rows: list[Any]


class _Texts(_Body):
    texts: list[Any]


class _OneRow(_Body):
    row: Any


BODIES = {"predict": _Rows, "encode": _Texts, "explain": _OneRow}


def read_question(
    kind: str, body: bytes, inputs: tuple[str, ...], bounds: Bounds
) -> list[tuple[str, ...]]:
    """Reads the rows of a request.

    Args:
        kind: a key of `BODIES`.
        body: JSON: `{"rows": [...]}` with pairs as lists or dictionaries, or with
            sentences; `{"texts": [...]}`; or one `{"row": ...}`.
        inputs: names of the texts of a row, of the run's task.

    Returns: tuples of texts, one for each of `inputs`; of one text for "encode".

    Raises: `InputError` with one line; `TooLarge` is one.

    Example:
        >>> body = b'{"rows": [["A man sleeps.", "A man rests."]]}'
        >>> read_question("predict", body, ("premise", "hypothesis"), Bounds())
        [('A man sleeps.', 'A man rests.')]
    """
    form = BODIES[kind]
    (key,) = form.model_fields
    try:
        value = getattr(form.model_validate_json(body), key)
    except pydantic.ValidationError as error:
        raise InputError(_describe(error, key)) from error
    items = [value] if kind == "explain" else value
    if len(items) > bounds.request_rows:
        raise TooLarge(
            f"'{key}' has {len(items):,} items; a request has at most "
            f"{bounds.request_rows:,}"
        )
    if kind == "encode":
        names, rows = ("text",), [(text,) for text in read_texts(items)]
    else:
        names, rows = inputs, read_rows(items, inputs)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise InputError(
                f"row {number}: this run reads {' and '.join(names)}. Received: "
                f"{len(row)} text{'s' * (len(row) != 1)}"
            )
        for name, text in zip(names, row, strict=True):
            check_bounded(text, f"the {name} of row {number}", bounds)
    return rows


def _describe(error, key):
    """The first mistakes of a body in one line."""
    mistakes = [
        ": ".join([*(f"'{name:.40}'" for name in one["loc"]), one["msg"]])
        for one in error.errors(include_url=False, include_input=False)[:3]
    ]
    return f"the body must be a JSON object with '{key}': {'; '.join(mistakes)}"


def check_bounded(text: str, place: str, bounds: Bounds) -> None:
    """Raises `InputError`, with the place of a text, if it cannot be answered."""
    if not text.split():
        raise InputError(f"{place} is empty")
    if len(text) > bounds.text_characters:
        raise TooLarge(
            f"{place} has {len(text):,} characters; a text has at most "
            f"{bounds.text_characters:,}"
        )
    check_text(text, place)

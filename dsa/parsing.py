"""Parses numbers, and formats values of columns."""

import re
from typing import Any

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?[0-9]{1,300}")  # `int` raises errors above 4,300 digits
WHOLE_NUMBER = re.compile(r"(-?[0-9]+)\.0+")  # an integer that pandas wrote as a float
SHOWN_CHARACTERS = 40  # maximum number of characters of a string in an error message


def parse_number(text: str) -> float:
    """Parses a decimal number. Numbers above the range of a float, such as `1e999`, are
    infinite.

    Raises: `ValueError` if the string is not a decimal number. Unlike `float`, rejects
        non-ASCII digits, underscores, spaces, `inf` and `nan`.

    Example:
        >>> parse_number("-2.5e-3")
        -0.0025
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected a number. Received: {shorten(text)}")
    return float(text)


def parse_integer(text: str) -> int:
    """Parses a decimal integer.

    Raises: `ValueError` if the string is not a decimal integer, or has more than 300
        digits.

    Example:
        >>> parse_integer("13")
        13
    """
    if not INTEGER.fullmatch(text):
        raise ValueError(f"expected an integer. Received: {shorten(text)}")
    return int(text)


def shorten(text: str) -> str:
    """Quotes a string for an error message, shortened to 40 characters."""
    if len(text) > SHOWN_CHARACTERS:
        text = f"{text[:SHOWN_CHARACTERS]}..."
    return repr(text)


def format_value(value: Any) -> str:
    """Returns the value of a column as a string, or "" if it is missing.

    A float without a fraction is formatted as an integer, because files
    written by pandas store an integer column with missing values as floats.
    """
    if is_missing(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def list_forms(value: Any) -> list[str]:
    """Returns the spellings of a value: the string of `format_value` and, for a decimal
    with a zero fraction, the integer.

    Example:
        >>> list_forms("-1.0")
        ['-1.0', '-1']
    """
    text = format_value(value)
    match = WHOLE_NUMBER.fullmatch(text)
    return [text] if match is None else [text, match[1]]


def is_missing(value: Any) -> bool:
    """Returns whether a value is `None` or NaN."""
    return value is None or value != value  # NaN differs from itself

"""Parsers of numbers in texts."""

import re

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
MAX_DIGITS = 300  # `int` raises an error for more than 4,300 digits
SHOWN_CHARACTERS = 40  # maximum length of a text in an error message


def parse_number(text: str) -> float:
    """Parses a decimal number; `1e999` is infinite.

    Raises: `ValueError` for other texts, including some that `float` accepts: digits of
        other scripts, `1_0`, spaces and `nan`.

    Example:
        >>> parse_number("-2.5e-3")
        -0.0025
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected a number. Received: {shorten(text)}")
    return float(text)


def parse_whole_number(text: str) -> int:
    """Parses an integer in decimal digits.

    Raises: `ValueError` for other texts, and for more than 300 digits.

    Example:
        >>> parse_whole_number("13")
        13
    """
    if not WHOLE_NUMBER.fullmatch(text) or len(text) > MAX_DIGITS:
        raise ValueError(f"expected an integer. Received: {shorten(text)}")
    return int(text)


def shorten(text: str) -> str:
    """Returns the first characters of a text in quotes, for an error message."""
    if len(text) > SHOWN_CHARACTERS:
        text = f"{text[:SHOWN_CHARACTERS]}..."
    return repr(text)

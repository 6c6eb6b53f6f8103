"""Numbers as a file or a command line gives them: the digits 0 to 9, and no more."""

import re

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
MOST_DIGITS = 300  # Python refuses to read more than 4,300
SHOWN_LETTERS = 40


def parse_number(text):
    """A text as a float, which can be infinite: `1e999` is.

    Raises: `ValueError` for what else `float` takes: digits of other scripts, `1_0`,
        spaces, `nan`.

    Example:
        >>> parse_number("-2.5e-3")
        -0.0025
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"no number: {shorten(text)}")
    return float(text)


def parse_whole_number(text):
    """A text as an int, see `parse_number`.

    Raises: `ValueError`, also for more than 300 digits.

    Example:
        >>> parse_whole_number("13")
        13
    """
    if not WHOLE_NUMBER.fullmatch(text) or len(text) > MOST_DIGITS:
        raise ValueError(f"no whole number: {shorten(text)}")
    return int(text)


def shorten(text):
    """The first letters of a text in quotation marks, for an error."""
    return repr(text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}...")

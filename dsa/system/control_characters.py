"""Texts of a user's files on a terminal: control characters do nothing there."""

import re

# C0 and C1 controls but tab and line feed, marks that turn the direction of text, and
# halves of characters, which no terminal can print
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)


def escape_controls(text):
    r"""A text with its control characters written out, as Python writes them.

    A terminal would obey them: clear the screen, colour what follows, hide a line. Line
    ends and tabs stay.

    Example:
        >>> print(escape_controls("a key \x1b[2J"))
        a key \x1b[2J
    """
    return CONTROLS.sub(_write_out, text)


def _write_out(match):
    return match[0].encode("unicode_escape").decode()

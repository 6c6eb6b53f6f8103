"""File names as text that can be written everywhere."""

import os


def write_name(path):
    """A path as text; bytes that are no UTF-8 become `\\xff` and the like.

    Example:
        >>> write_name("configs/a.yaml")
        'configs/a.yaml'
    """
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")

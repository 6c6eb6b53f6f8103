"""State of processes of this machine."""

import pathlib
import time


def wait_for(condition, seconds=300):
    """Waits until a function returns a true value, and returns the value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return value


def is_alive(number):
    """Returns whether a process runs; `False` for a zombie."""
    fields = _read_fields(number)
    return bool(fields) and fields[0] != "Z"


def find_parent(number):
    """Returns the id of the parent of a process."""
    return int(_read_fields(number)[1])


def _read_fields(number):
    """Returns the fields of `/proc/<id>/stat` after the name, or an empty list."""
    try:
        text = pathlib.Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rsplit(")", 1)[1].split()

"""Processes of this machine, as tests see them."""

import pathlib
import time


def wait_for(condition, seconds=300):
    """Wait until a function gives something true, and return that."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return value


def is_alive(number):
    """Whether a process runs; one that has ended and is not waited for does not."""
    fields = _read_fields(number)
    return bool(fields) and fields[0] != "Z"


def find_parent(number):
    """The number of the process that has started another one."""
    return int(_read_fields(number)[1])


def _read_fields(number):
    """What the kernel says after the name; empty if there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rsplit(")", 1)[1].split()

"""State of processes of this machine."""

import time

import psutil


def wait_for(condition, seconds=300):
    """Waits until a function returns a true value, and returns the value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return value


def is_alive(number):
    """Returns whether a process runs; `False` for a zombie."""
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def find_parent(number):
    """Returns the id of the parent of a process."""
    return psutil.Process(number).ppid()

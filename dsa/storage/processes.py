"""How many processes share a piece of work."""

import os

from dsa.errors import InputError

VARIABLE = "DSA_PROCESSES"


def count_processes():
    """The number of processes: that of `DSA_PROCESSES`, else one for every core.

    Returns: a number for joblib's `n_jobs`, -1 for one process for every core.

    Raises: `InputError` for a value that is no whole number from 1.
    """
    value = os.environ.get(VARIABLE, "")
    if not value:
        return -1
    if not value.isdecimal() or int(value) < 1:
        raise InputError(
            f"{VARIABLE} must be a whole number from 1. Received: {value!r}"
        )
    return int(value)

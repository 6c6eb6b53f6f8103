"""How many processes share a piece of work."""

import os

from dsa.errors import InputError
from dsa.plain_numbers import parse_whole_number, shorten

VARIABLE = "DSA_PROCESSES"
MOST_PROCESSES = 1_000


def count_processes():
    """The number of processes: that of `DSA_PROCESSES`, else one for every core.

    Returns: a number for joblib's `n_jobs`, -1 for one process for every core.

    Raises: `InputError` for a value that is no whole number from 1.
    """
    value = os.environ.get(VARIABLE, "")
    if not value:
        return -1
    try:
        number = parse_whole_number(value)
    except ValueError:
        number = 0
    if not 1 <= number <= MOST_PROCESSES:
        raise InputError(
            f"{VARIABLE} must be a whole number from 1 to {MOST_PROCESSES}. Received: "
            f"{shorten(value)}"
        )
    return number

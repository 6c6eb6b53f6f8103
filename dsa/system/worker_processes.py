"""Work that several processes share."""

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dsa.config_section import parse_whole_number, shorten
from dsa.errors import InputError

VARIABLE = "DSA_PROCESSES"
MOST_PROCESSES = 1_000


def count_processes() -> int:
    """Reads the number of processes: `DSA_PROCESSES`, else one for every core.

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


def run_in_processes(
    function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterable[Any]:
    """Returns the results of a function, in order, computed by several processes.

    Args:
        function: what is called; it must be picklable.
        arguments: a list of tuples, one for each call.
    """
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=count_processes(), return_as="generator")
    call = delayed(_call)
    return parallel(call(os.getpid(), function, values) for values in arguments)


def _call(parent, function, values):
    """Calls a function in a worker process, which Ctrl-C ends without a traceback."""
    if os.getpid() != parent:  # else joblib runs everything in this process
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return function(*values)

"""Calls a function in several processes."""

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dsa.errors import InputError
from dsa.parsing import parse_integer, shorten

VARIABLE = "DSA_PROCESSES"
MAX_PROCESSES = 1_000


def count_processes() -> int:
    """Returns the number of processes for joblib: `DSA_PROCESSES`, or -1 (one process
    per core) if the variable is not set.

    Raises: `InputError` if the value is not a whole number from 1 to 1,000.
    """
    value = os.environ.get(VARIABLE, "")
    if not value:
        return -1
    message = (
        f"{VARIABLE} must be a whole number from 1 to {MAX_PROCESSES}. Received: "
        f"{shorten(value)}"
    )
    try:
        count = parse_integer(value)
    except ValueError:
        raise InputError(message) from None
    if not 1 <= count <= MAX_PROCESSES:
        raise InputError(message)
    return count


def run_in_processes(
    function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterable[Any]:
    """Calls a function in several processes, and yields the results in order.

    Args:
        function: a picklable function.
        arguments: one tuple of arguments per call.
    """
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=count_processes(), return_as="generator")
    call = delayed(_call)
    return parallel(call(os.getpid(), function, values) for values in arguments)


def _call(parent, function, values):
    """Calls a function in a worker process, which Ctrl-C ends without a traceback.

    With one process, joblib calls the function in the parent process.
    """
    if os.getpid() != parent:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return function(*values)

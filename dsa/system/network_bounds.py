"""Time limits of network calls: connection, read and total time.

Most HTTP libraries do not limit the total time of a server that sends bytes slowly.
"""

import concurrent.futures
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

CONNECT_SECONDS = 10.0
SILENT_SECONDS = 30.0  # between two bytes
ANSWER_SECONDS = 60.0  # total time of a response, extended by its size / `MIN_RATE`
MIN_RATE = 10_000  # bytes per second


def keep_pace(
    parts: Iterable[bytes], make_error: Callable[[str], Exception]
) -> Iterator[bytes]:
    """Yields the parts of a response, and limits the total time.

    Args:
        parts: iterator over the parts.
        make_error: function that maps a reason to an exception.

    Raises: the exception of `make_error` if the received bytes took longer than
        `ANSWER_SECONDS + received / MIN_RATE`, checked after each part.
    """
    start, received = time.monotonic(), 0
    for part in parts:
        received += len(part)
        seconds = ANSWER_SECONDS + received / MIN_RATE
        if time.monotonic() - start > seconds:
            raise make_error(f"{received:,} bytes took more than {seconds:.0f} s")
        yield part


def call_within(seconds: float, function: Callable[[], Any]) -> Any:
    """Calls a function with a time limit, and returns its result.

    Args:
        seconds: the time limit.
        function: a function without arguments.

    Raises: the errors of the function; `TimeoutError` at the time limit. The function
        then continues to run in a thread until it returns or the process ends.
    """
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def call():
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        if future.done():  # raised by the function, or finished just now
            return future.result()
        raise TimeoutError(f"no answer in {seconds:g} seconds") from None

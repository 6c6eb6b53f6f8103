"""Timeouts of network calls: connection, read and total time.

The read timeout of most HTTP libraries applies to each read, so a response that arrives
slowly never times out.
"""

import concurrent.futures
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

CONNECT_TIMEOUT = 10.0  # seconds
READ_TIMEOUT = 30.0  # seconds between two reads
RESPONSE_TIMEOUT = 60.0  # total seconds per response, plus size / `MIN_RATE`
MIN_RATE = 10_000  # bytes per second


def limit_response_time(
    chunks: Iterable[bytes], make_error: Callable[[str], Exception]
) -> Iterator[bytes]:
    """Yields the chunks of a response, and raises an error at its total time limit.

    The limit is `RESPONSE_TIMEOUT + received bytes / MIN_RATE` seconds. It is checked
    after each chunk.

    Args:
        chunks: iterator over the chunks of the response.
        make_error: function that maps a reason to an exception.

    Raises: the exception of `make_error` if the limit is exceeded.
    """
    start = time.monotonic()
    received = 0
    for chunk in chunks:
        received += len(chunk)
        seconds = RESPONSE_TIMEOUT + received / MIN_RATE
        if time.monotonic() - start > seconds:
            raise make_error(f"{received:,} bytes took more than {seconds:.0f} s")
        yield chunk


def call_with_timeout(seconds: float, function: Callable[[], Any]) -> Any:
    """Calls a function in a thread and returns its result.

    Args:
        seconds: time limit in seconds.
        function: function without arguments.

    Raises: `TimeoutError` after `seconds`, and any exception raised by `function`.
        After a timeout, the thread runs until the function returns or the process ends.
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
        if future.done():  # `function` raised the error, or has just returned
            return future.result()
        raise TimeoutError(f"timed out after {seconds:g} seconds") from None

"""Time limits of downloads: for a connection, between two bytes, and in total.

Most HTTP libraries have no limit for a server that sends a byte now and then."""

import concurrent.futures
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

CONNECT_SECONDS = 10.0
SILENT_SECONDS = 30.0  # without a byte
ANSWER_SECONDS = 60.0  # for a response; its bytes extend the time limit:
SLOWEST = 10_000  # bytes per second


def keep_pace(
    parts: Iterable[bytes], make_error: Callable[[str], Exception]
) -> Iterator[bytes]:
    """Yields the received parts of a response.

    Args:
        parts: iterator over the parts.
        make_error: function from a reason to an exception.

    Raises: the exception of `make_error` for a response that is too slow.
    """
    began, received = time.monotonic(), 0
    for part in parts:
        received += len(part)
        seconds = ANSWER_SECONDS + received / SLOWEST
        if time.monotonic() - began > seconds:
            raise make_error(f"{received:,} bytes took more than {seconds:.0f} s")
        yield part


def call_within(seconds: float, function: Callable[[], Any]) -> Any:
    """Returns the result of a function, with a time limit.

    Args:
        seconds: the limit.
        function: a function without arguments.

    Raises: the errors of the function; `TimeoutError` at the limit. The thread of the
        function then ends with the process.
    """
    ended: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def call():
        try:
            ended.set_result(function())
        except BaseException as error:
            ended.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    try:
        return ended.result(seconds)
    except TimeoutError:
        if ended.done():  # raised by the function
            raise
        raise TimeoutError(f"no answer in {seconds:g} seconds") from None

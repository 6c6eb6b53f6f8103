"""Time limits of downloads: for a connection, between two bytes, and in total.

Most HTTP libraries have no limit for a server that sends a byte now and then."""

import time
from collections.abc import Callable, Iterable, Iterator

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

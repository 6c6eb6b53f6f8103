"""Time limits of downloads: for a connection, between two bytes, and in total.

Most HTTP libraries have no limit for a server that sends a byte now and then."""

import time
from collections.abc import Callable, Iterable, Iterator

CONNECT_SECONDS = 10.0
SILENT_SECONDS = 30.0  # without a byte
ANSWER_SECONDS = 60.0  # for an answer, and more by what has come of it:
SLOWEST = 10_000  # bytes per second


def keep_pace(
    parts: Iterable[bytes], make_error: Callable[[str], Exception]
) -> Iterator[bytes]:
    """Yields the parts of an answer as they come.

    Raises: what `make_error` makes of a reason, for an answer that comes too slowly.
    """
    began, received = time.monotonic(), 0
    for part in parts:
        received += len(part)
        seconds = ANSWER_SECONDS + received / SLOWEST
        if time.monotonic() - began > seconds:
            raise make_error(f"{received:,} bytes took more than {seconds:.0f} s")
        yield part

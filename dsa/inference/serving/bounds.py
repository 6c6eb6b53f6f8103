"""How much the service accepts: from a request, from an address, and at once."""

import dataclasses
import math

from dsa.errors import InputError

MOST_ADDRESSES = 10_000


def _bound(default, what):
    return dataclasses.field(default=default, metadata={"what": what})


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Each bound is an option of `dsa serve`; `what` in its metadata is its help.

    Raises: `InputError` for a queue that has no room for a full request.
    """

    request_rows: int = _bound(1000, "rows per request")
    body_bytes: int = _bound(2**20, "bytes of a request's body")
    text_characters: int = _bound(4000, "characters of a text")
    rate: int = _bound(10_000, "rows per second from each address")
    batch_rows: int = _bound(
        128, "rows that are computed together; a larger request is cut"
    )
    batch_characters: int = _bound(
        2**14, "characters that are computed together; a longer row is read alone"
    )
    batch_ms: float = _bound(
        2.0, "milliseconds that a request waits for others, after a batch of several"
    )
    queue_rows: int = _bound(4000, "rows that wait")
    queue_ms: float = _bound(
        10_000.0, "milliseconds that a request waits; then it is refused"
    )

    def __post_init__(self):
        if self.queue_rows < self.request_rows:
            raise InputError(
                f"a queue of {self.queue_rows:,} rows never has room for a request of "
                f"{self.request_rows:,}"
            )


class Rates:
    """Bounds the rows per second of each address. An address saves up what it does not
    use, up to the rows of one second or of one full request."""

    def __init__(self, bounds: Bounds):
        self.rate = bounds.rate
        self.most = max(bounds.rate, bounds.request_rows)
        # address -> saved rows and when; the address that asked last is last
        self._saved: dict[str, tuple[float, float]] = {}

    def take(self, address: str, rows: int, now: float) -> int:
        """Takes rows for an address at a time, in seconds of a monotonic clock.

        Returns: 0, or the whole seconds to wait, and then nothing is taken.
        """
        saved, when = self._saved.pop(address, (self.most, now))
        saved = min(self.most, saved + (now - when) * self.rate)
        enough = saved >= rows
        self._saved[address] = (saved - rows if enough else saved, now)
        if len(self._saved) > MOST_ADDRESSES:
            self._saved.pop(next(iter(self._saved)))
        return 0 if enough else max(1, math.ceil((rows - saved) / self.rate))

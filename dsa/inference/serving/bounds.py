"""What the service takes in, what waits, and what is computed together."""

import dataclasses

from dsa.errors import InputError


def _bound(default, what):
    return dataclasses.field(default=default, metadata={"what": what})


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Each bound is an option of `dsa serve`; `what` in its metadata says what it is.

    Raises: `InputError` for a queue that has no room for a full request.
    """

    request_rows: int = _bound(1000, "rows of a request")
    body_bytes: int = _bound(2**20, "bytes of a request's body")
    text_characters: int = _bound(4000, "characters of a text")
    rate: int = _bound(10_000, "rows a second from each address")
    batch_rows: int = _bound(
        128, "rows that are computed together; a larger request is by itself"
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

"""Limits of the HTTP service."""

import dataclasses

from dsa.errors import InputError


class TooLargeError(InputError):
    """Raised if a request exceeds a limit."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of requests, batches and the queue; options of `dsa serve`.

    Attributes:
        request_rows: maximum number of rows per request.
        body_bytes: maximum size of a request body, in bytes.
        text_characters: maximum number of characters per text.
        batch_rows: maximum number of rows per batch of several requests.
        batch_ms: time for which a batch waits for more requests, in milliseconds.
        queue_rows: maximum number of waiting rows.
    """

    request_rows: int = 1000
    body_bytes: int = 2**20
    text_characters: int = 4000
    batch_rows: int = 128
    batch_ms: float = 2.0
    queue_rows: int = 4000

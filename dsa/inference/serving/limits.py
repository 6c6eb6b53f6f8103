"""Limits of the HTTP service."""

import dataclasses

from dsa.errors import InputError


class TooLargeError(InputError):
    """Raised if a request exceeds a limit."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of requests, batches and the queue; options of `dsa serve`."""

    request_rows: int = 1000
    body_bytes: int = 2**20
    text_characters: int = 4000
    batch_rows: int = 128
    batch_ms: float = 2.0  # maximum waiting time of a batch for more requests
    queue_rows: int = 4000

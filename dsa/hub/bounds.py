"""Bounds on how long a hub may take: to connect, between two bytes, and for an answer.

huggingface_hub's own client waits for ever for a server that accepts and is silent, and
for one that sends a byte now and then.
"""

import functools
import importlib
import time
from collections.abc import Iterator
from typing import Any

CONNECT_SECONDS = 10.0
SILENT_SECONDS = 30.0  # without a byte
ANSWER_SECONDS = 60.0  # for an answer, and more by its size:
SLOWEST = 10_000  # bytes per second


@functools.cache  # once
def bound_hub() -> None:
    """Lets huggingface_hub, the package, give up after these bounds, with an error of
    its HTTP library. Requests with a bound of their own keep it."""
    hub: Any = importlib.import_module("huggingface_hub")
    default = importlib.import_module("huggingface_hub.utils._http")

    def make_client():
        client = default.default_client_factory()
        library = importlib.import_module(type(client).__module__.partition(".")[0])
        hooks = client.event_hooks
        hooks["request"].append(_bound_request)
        hooks["response"].append(lambda response: _bound_response(response, library))
        client.event_hooks = hooks
        return client

    hub.set_client_factory(make_client)


def _bound_request(request):
    """The package asks for many answers with no bound, whatever its client has."""
    given = request.extensions.get("timeout", {})
    ours = {name: SILENT_SECONDS for name in ("read", "write", "pool")}
    ours |= {"connect": CONNECT_SECONDS}
    own = {name: seconds for name, seconds in given.items() if seconds is not None}
    request.extensions["timeout"] = ours | own


def _bound_response(response, library):
    """Gives an answer an end: its bytes are those of a stream that looks at the
    clock."""
    size = response.headers.get("content-length", "")
    seconds = ANSWER_SECONDS + (int(size) if size.isdecimal() else 0) / SLOWEST
    end, stream = time.monotonic() + seconds, response.stream

    class Bounded(library.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for chunk in stream:
                if time.monotonic() > end:
                    raise library.ReadTimeout(
                        f"the answer took more than {seconds:.0f} s",
                        request=response.request,
                    )
                yield chunk

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()

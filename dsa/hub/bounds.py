"""Bounds on how long a hub may take, see `network_bounds`."""

import functools
import importlib
from collections.abc import Iterator
from typing import Any

from dsa.system import network_bounds


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
    ours = {name: network_bounds.SILENT_SECONDS for name in ("read", "write", "pool")}
    ours |= {"connect": network_bounds.CONNECT_SECONDS}
    own = {name: seconds for name, seconds in given.items() if seconds is not None}
    request.extensions["timeout"] = ours | own


def _bound_response(response, library):
    """Lets an answer fail that comes too slowly."""
    stream = response.stream

    def make_error(reason):
        return library.ReadTimeout(reason, request=response.request)

    class Bounded(library.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return network_bounds.keep_pace(stream, make_error)

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()

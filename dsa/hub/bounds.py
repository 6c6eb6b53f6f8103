"""Time limits for requests to a hub, see `dsa.system.network_bounds`."""

import functools
import importlib
from collections.abc import Iterator
from typing import Any

from dsa.system import network_bounds


@functools.cache
def bound_hub() -> None:
    """Sets the time limits of huggingface_hub, which raises an error of its HTTP
    library when a limit is exceeded. Requests with a limit of their own keep it."""
    hub: Any = importlib.import_module("huggingface_hub")
    default = importlib.import_module("huggingface_hub.utils._http")

    def make_client():
        client = default.default_client_factory()
        library = importlib.import_module(type(client).__module__.partition(".")[0])
        hooks = client.event_hooks
        hooks["request"].append(_bound_request)
        hooks["response"].append(lambda response: _bound_response(response, library))
        client.event_hooks = hooks
        client._transport = _bound_transport(client._transport, library)
        client._mounts = {
            pattern: transport and _bound_transport(transport, library)
            for pattern, transport in client._mounts.items()  # of proxies
        }
        return client

    hub.set_client_factory(make_client)


def _bound_request(request):
    """Adds the limits that a request lacks: huggingface_hub sends many requests without
    a limit, and the client's default does not apply to them."""
    own = request.extensions.get("timeout", {})
    limits = {name: network_bounds.SILENT_SECONDS for name in ("read", "write", "pool")}
    limits["connect"] = network_bounds.CONNECT_SECONDS
    limits |= {name: seconds for name, seconds in own.items() if seconds is not None}
    request.extensions["timeout"] = limits


def _bound_transport(transport, library):
    """Returns a transport that limits the time until the headers of a response, to
    which a request with a body adds the time of its upload."""

    class Bounded(library.BaseTransport):
        def handle_request(self, request):
            if "transfer-encoding" in request.headers:  # an upload of any length
                return transport.handle_request(request)
            size = int(request.headers.get("content-length", 0))
            seconds = network_bounds.ANSWER_SECONDS + size / network_bounds.SLOWEST
            answer = functools.partial(transport.handle_request, request)
            try:
                return network_bounds.call_within(seconds, answer)
            except TimeoutError as error:
                raise library.ReadTimeout(str(error), request=request) from error

        def close(self) -> None:
            transport.close()

    return Bounded()


def _bound_response(response, library):
    """Wraps the stream of a response so that a slow response raises a time-out."""
    stream = response.stream

    def make_error(reason):
        return library.ReadTimeout(reason, request=response.request)

    class Bounded(library.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return network_bounds.keep_pace(stream, make_error)

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()

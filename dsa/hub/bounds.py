"""Time limits of requests to a hub; the limits are in `dsa.system.network_bounds`."""

import functools
import importlib
from collections.abc import Iterator
from typing import Any

from dsa.system import network_bounds


@functools.cache
def bound_hub() -> None:
    """Sets time limits for the requests of huggingface_hub.

    If a limit is exceeded, huggingface_hub raises an error of its HTTP library. A
    time-out that a request defines is unchanged.
    """
    hub: Any = importlib.import_module("huggingface_hub")
    default = importlib.import_module("huggingface_hub.utils._http")

    def make_client():
        client = default.default_client_factory()
        library = importlib.import_module(type(client).__module__.partition(".")[0])
        hooks = client.event_hooks
        hooks["request"].append(_bound_request)
        hooks["response"].append(functools.partial(_bound_response, library=library))
        client.event_hooks = hooks
        client._transport = _bound_transport(client._transport, library)
        for pattern, transport in list(client._mounts.items()):  # proxies
            if transport is not None:
                client._mounts[pattern] = _bound_transport(transport, library)
        return client

    hub.set_client_factory(make_client)


def _bound_request(request):
    """Adds missing time-outs to a request.

    huggingface_hub sends many requests without a time-out, for which the default of the
    client is not used.
    """
    limits = {
        "connect": network_bounds.CONNECT_TIMEOUT,
        "read": network_bounds.READ_TIMEOUT,
        "write": network_bounds.READ_TIMEOUT,
        "pool": network_bounds.READ_TIMEOUT,
    }
    for name, seconds in request.extensions.get("timeout", {}).items():
        if seconds is not None:
            limits[name] = seconds
    request.extensions["timeout"] = limits


def _bound_transport(transport, library):
    """Returns a transport that limits the time until the headers of a response arrive.

    The limit of a request with a body includes the time of the upload.
    """

    class Bounded(library.BaseTransport):
        def handle_request(self, request):
            if "transfer-encoding" in request.headers:  # an upload of unknown length
                return transport.handle_request(request)
            size = int(request.headers.get("content-length", 0))
            seconds = network_bounds.RESPONSE_TIMEOUT + size / network_bounds.MIN_RATE
            handle_request = functools.partial(transport.handle_request, request)
            try:
                return network_bounds.call_with_timeout(seconds, handle_request)
            except TimeoutError as error:
                raise library.ReadTimeout(str(error), request=request) from error

        def close(self) -> None:
            transport.close()

    return Bounded()


def _bound_response(response, library):
    """Wraps the stream of a response so that a slow response raises a time-out
    error."""
    stream = response.stream

    def make_error(reason):
        return library.ReadTimeout(reason, request=response.request)

    class Bounded(library.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return network_bounds.limit_response_time(stream, make_error)

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()

"""Timeouts of the requests of huggingface_hub.

The values are in `dsa.system.network_bounds`.
"""

import functools
import importlib
from collections.abc import Iterator
from typing import Any

from dsa.system import network_bounds


@functools.cache  # a second call would close the HTTP session of huggingface_hub
def set_hub_timeouts() -> None:
    """Sets timeouts for the requests of huggingface_hub.

    At a timeout, huggingface_hub raises an error of its HTTP library. Timeouts that a
    request sets itself are unchanged.
    """
    hub: Any = importlib.import_module("huggingface_hub")
    http = importlib.import_module("huggingface_hub.utils._http")

    def make_client() -> Any:
        client = http.default_client_factory()
        # the HTTP library of this version of huggingface_hub
        library = importlib.import_module(type(client).__module__.partition(".")[0])
        hooks = client.event_hooks
        hooks["request"].append(_add_timeouts)
        hooks["response"].append(functools.partial(_limit_body_time, library=library))
        client.event_hooks = hooks
        client._transport = _limit_header_time(client._transport, library)
        for pattern, transport in list(client._mounts.items()):  # proxies
            if transport is not None:
                client._mounts[pattern] = _limit_header_time(transport, library)
        return client

    hub.set_client_factory(make_client)


def _add_timeouts(request: Any) -> None:
    """Adds missing timeouts to a request.

    huggingface_hub sends many requests without a timeout. The HTTP library does not
    apply the default timeout of the client to these requests.
    """
    timeouts = {
        "connect": network_bounds.CONNECT_TIMEOUT,
        "read": network_bounds.READ_TIMEOUT,
        "write": network_bounds.READ_TIMEOUT,
        "pool": network_bounds.READ_TIMEOUT,
    }
    for name, seconds in request.extensions.get("timeout", {}).items():
        if seconds is not None:
            timeouts[name] = seconds
    request.extensions["timeout"] = timeouts


def _limit_header_time(transport: Any, library: Any) -> Any:
    """Wraps a transport and limits the time until the headers of a response arrive.

    For a request with a body, the limit grows with the size of the body, because the
    time includes the upload.
    """

    class TimeLimitedTransport(library.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            if "transfer-encoding" in request.headers:  # body of unknown size
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

    return TimeLimitedTransport()


def _limit_body_time(response: Any, library: Any) -> None:
    """Wraps the stream of a response, so that a slow body raises a timeout error."""
    stream = response.stream

    def make_error(reason: str) -> Exception:
        return library.ReadTimeout(reason, request=response.request)

    class TimeLimitedStream(library.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return network_bounds.limit_response_time(stream, make_error)

        def close(self) -> None:
            stream.close()

    response.stream = TimeLimitedStream()

"""A socket that listens, who may use it, and uvicorn on it; for the service and the
page."""

import contextlib
import ipaddress
import signal
import socket
from collections.abc import Callable, Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

from dsa.errors import InputError

NAMES = ("127.0.0.1", "localhost", "::1")  # of this machine
REFUSAL = b'{"error": "this Host or Origin is not answered"}'


class LocalOnly:
    """An ASGI application that answers only requests to its names from its own pages.

    A page of another site can make a browser send requests here: directly, with its
    address as `Origin`, or under a name of its own that it points to this machine (DNS
    rebinding), which is then the `Host`. Such requests are answered with 403.
    (Starlette's `TrustedHostMiddleware` knows no `Origin`, and reads only the first of
    two `Host` headers.)

    Args:
        app: the ASGI application that answers the others.
        names: hosts that requests may name, in lower case.
    """

    def __init__(self, app: Callable[..., Any], names: Collection[str] = NAMES):
        self.app = app
        self.names = names

    async def __call__(self, scope, receive, send):
        kind = scope["type"]
        if kind not in ("http", "websocket") or is_own(scope["headers"], self.names):
            await self.app(scope, receive, send)
        elif kind == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            headers = [(b"content-type", b"application/json")]
            start = {"type": "http.response.start", "status": 403, "headers": headers}
            await send(start)
            await send({"type": "http.response.body", "body": REFUSAL})


def is_own(
    headers: Iterable[tuple[bytes, bytes]], names: Collection[str] = NAMES
) -> bool:
    """Whether a request's headers, with names in lower case, name this server and no
    page but its own.

    Example:
        >>> is_own([(b"host", b"127.0.0.1:7860"), (b"origin", b"http://127.0.0.1:7860")])
        True
        >>> is_own([(b"host", b"evil.example")])
        False
    """
    hosts, origins = (
        [value.decode("latin-1") for name, value in headers if name == header]
        for header in (b"host", b"origin")
    )
    try:
        (host,) = hosts
        parts = urlsplit(f"//{host}")
        is_known = parts.hostname in names and parts.netloc == host and "@" not in host
    except ValueError:  # none or several, or no name
        return False
    return is_known and all(origin == f"http://{host}" for origin in origins)


def listen(host: str, port: int) -> socket.socket:
    """Opens a socket that listens; requests wait until `run_server` takes it. Port 0
    stands for a free one.

    Raises: `InputError` for an address that is none of this machine's, and for a port
        that is in use.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
        # asyncio does not set it where the socket was made by others: then the end of
        # an answer waits up to 40 ms for the client
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        # `create_server` adds the address, which is said already
        raise InputError(f"{host}:{port}: {reason.split(' (')[0]}") from error


def run_server(
    app: Callable[..., Any], listening: socket.socket, **settings: Any
) -> None:
    """Prints the address, and serves an ASGI application on the socket of `listen`
    until Ctrl-C or SIGTERM; `settings`: of `uvicorn.Config`."""
    import uvicorn

    host, port = listening.getsockname()[:2]
    is_ipv6 = ipaddress.ip_address(host).version == 6
    address = f"http://{f'[{host}]' if is_ipv6 else host}:{port}"
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", **settings))
    with _exit_normally_after_sigterm(server):
        print(f"{address} (Ctrl-C stops it)", flush=True)
        server.run(sockets=[listening])


@contextlib.contextmanager
def _exit_normally_after_sigterm(server):
    """Makes SIGTERM end a server also before it has begun. Later uvicorn takes the
    signal, answers what it has taken in, and then raises it again."""

    def stop(*_):
        server.should_exit = True

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

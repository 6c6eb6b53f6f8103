"""Listening socket and uvicorn server of the prediction service and the web page."""

import ipaddress
import socket
from collections.abc import Callable
from typing import Any

from dsa.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "::1")  # names of this machine
LOOPBACK_HEADERS = ("127.0.0.1", "localhost", "[::1]")  # as in the header `Host`
MAX_CONNECTIONS = 512


def listen(host: str, port: int) -> socket.socket:
    """Opens a listening socket.

    It is opened before the model is loaded, so that address errors are immediate.

    Args:
        host: name or address of this machine.
        port: port number; 0 selects a free port.

    Raises: `InputError` if the address belongs to another machine or the port is in
        use.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
        # accepted connections inherit this option, which asyncio does not set for this
        # socket. Without it, responses are delayed by up to 40 ms
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        # remove the address that `create_server` appends to the reason
        raise InputError(f"{host}:{port}: {reason.split(' (')[0]}") from error


def run_server(
    app: Callable[..., Any], listening: socket.socket, shutdown_seconds: int
) -> None:
    """Prints the address and serves an ASGI application until Ctrl-C or SIGTERM.

    Args:
        app: the ASGI application.
        listening: the socket returned by `listen`.
        shutdown_seconds: time limit for unfinished requests at shutdown.
    """
    import uvicorn

    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).version == 6:
        host = f"[{host}]"
    print(f"http://{host}:{port} (press Ctrl-C to stop)", flush=True)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=shutdown_seconds,
    )
    uvicorn.Server(config).run(sockets=[listening])

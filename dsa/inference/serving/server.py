"""A socket that listens, and uvicorn on it; for the service and for the page."""

import contextlib
import ipaddress
import signal
import socket

from dsa.errors import InputError


def listen(host, port):
    """A socket that listens; requests wait until `run_server` takes it.

    Args:
        host: an address or a name of this machine.
        port: 0 for a free one.

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


def run_server(app, listening, **settings):
    """Print the address, and serve an ASGI application until Ctrl-C or SIGTERM.

    Args:
        app: the application.
        listening: the socket of `listen`.
        settings: of `uvicorn.Config`.
    """
    import uvicorn

    host, port = listening.getsockname()[:2]
    is_ipv6 = ipaddress.ip_address(host).version == 6
    address = f"http://{f'[{host}]' if is_ipv6 else host}:{port}"
    print(f"{address} (Ctrl-C stops it)", flush=True)
    config = uvicorn.Config(app, log_level="warning", **settings)
    with _ending_well_after_sigterm():
        uvicorn.Server(config).run(sockets=[listening])


@contextlib.contextmanager
def _ending_well_after_sigterm():
    """uvicorn answers what it has taken in, and then raises the signal again."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""Who may ask: programs that know the server's name, and browsers on its own pages."""

from urllib.parse import urlsplit

NAMES = ("127.0.0.1", "localhost", "::1")
REFUSAL = b'{"error": "this Host or Origin is not answered"}'


class LocalOnly:
    """An ASGI application that answers only requests to its names from its own pages.

    A page of another site can make a browser send requests here: directly, with its
    address as `Origin`, or under a name of its own that it points to this machine (DNS
    rebinding), which is then the `Host`. Such requests are refused with 403.

    Args:
        app: the ASGI application that answers the others.
        names: hosts that requests may name, those of this machine by default.
    """

    def __init__(self, app, names=NAMES):
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


def is_own(headers, names=NAMES):
    """Whether a request's headers name this server, and no page but its own.

    Args:
        headers: pairs of bytes, the names in lower case.
        names: hosts that requests may name, in lower case.

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
    if len(hosts) != 1 or _read_name(hosts[0]) not in names:
        return False
    return all(origin == f"http://{hosts[0]}" for origin in origins)


def _read_name(host):
    """The name in `name:port`, or `None`."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None

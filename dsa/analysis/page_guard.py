"""Who may ask the page: browsers of this machine that show the page itself."""

from urllib.parse import urlsplit

NAMES = ("127.0.0.1", "localhost", "::1")


class LocalOnly:
    """An ASGI application that answers only requests to this machine from its own page.

    A page of another site can make a browser send requests here: directly, with its
    address as `Origin`, or under a name of its own that it points to this machine (DNS
    rebinding), which is then the `Host`. Such requests are refused with 403.

    Args:
        app: the ASGI application that answers the others.
    """

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket") or is_own(scope["headers"]):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            start = {"type": "http.response.start", "status": 403, "headers": []}
            await send(start)
            await send({"type": "http.response.body", "body": b"not from here"})


def is_own(headers):
    """Whether a request's headers are those of the page itself.

    Args:
        headers: pairs of bytes, the names in lower case.

    Example:
        >>> is_own([(b"host", b"127.0.0.1:7860"), (b"origin", b"http://127.0.0.1:7860")])
        True
        >>> is_own([(b"host", b"evil.example")])
        False
    """
    hosts, origins = (
        [value.decode("latin-1") for name, value in headers if name == wanted]
        for wanted in (b"host", b"origin")
    )
    if len(hosts) != 1 or _read_name(hosts[0]) not in NAMES:
        return False
    return all(origin == f"http://{hosts[0]}" for origin in origins)


def _read_name(host):
    """The name in `name:port`, or `None`."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None

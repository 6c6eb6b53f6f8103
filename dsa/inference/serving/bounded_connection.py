"""A connection with bounds on the size and the time of a request's headers, and on
how many there are."""

import re

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_BYTES = 65_536  # of a request without its body
MOST_CONNECTIONS = 512
HEAD_SECONDS = 10  # from the connection, or the first byte, to the end of the headers
RETRY_SECONDS = 1  # what a client is told that was refused because there is no room
END = b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
UPGRADE = re.compile(rb"\r\nupgrade:", re.IGNORECASE)  # to another protocol: ignored
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large" + END


class BoundedConnection(HttpToolsProtocol):
    """httptools reads headers, and trailers after a body, of any length. Here a request
    with more than `MOST_BYTES` of them ends its connection, with 431 if it has no
    answer yet. A client that has not sent its headers after `HEAD_SECONDS` is
    disconnected without an answer. With `MOST_CONNECTIONS` all further requests are
    answered with 503 and when to come again. A client that closes its side behind its
    request is answered. (uvicorn has settings for none of these.)"""

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self._bytes = 0  # of the current request, without its body
        self._end = None  # the timer that closes the connection

    def connection_made(self, transport):
        super().connection_made(transport)
        self._wait_for_request()

    def connection_lost(self, exc):
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data):
        if self._end is None and self._is_between_requests():
            self._wait_for_request()
        if self._end is not None:  # httptools reads no body behind an upgrade
            head, end, body = data.partition(b"\r\n\r\n")
            data = UPGRADE.sub(rb"\r\nignored-upgrade:", head) + end + body
        self._bytes += len(data)
        super().data_received(data)
        if self._bytes <= MOST_BYTES or self.transport.is_closing():
            return
        if self._is_between_requests():
            self.transport.write(TOO_LARGE)
            self.transport.close()
        else:
            self.transport.abort()

    def eof_received(self):
        if self._is_between_requests() or self.cycle.more_body:
            return False  # closes the connection
        self.cycle.keep_alive = False
        return True

    def on_headers_complete(self):
        self._stop_waiting()
        if len(self.connections) > MOST_CONNECTIONS:
            self.app = refuse
        super().on_headers_complete()

    def on_body(self, body):
        self._bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self):
        self._bytes = 0
        super().on_message_complete()

    def _is_between_requests(self):
        """Whether no request waits for its answer."""
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_request(self):
        self._end = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self):
        if self._end is not None:
            self._end.cancel()
            self._end = None


async def refuse(scope, receive, send):
    """The ASGI application of a connection that is one too many."""
    headers = [(b"retry-after", b"%d" % RETRY_SECONDS), (b"connection", b"close")]
    start = {"type": "http.response.start", "status": 503, "headers": headers}
    await send(start)
    await send({"type": "http.response.body"})


# of `uvicorn.Config`, for the service and the page
BOUNDED = {
    "proxy_headers": False,
    "access_log": False,
    "loop": "asyncio",
    "http": BoundedConnection,
    "ws": "none",
}

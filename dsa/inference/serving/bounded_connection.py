"""A connection with bounds on the size and the time of a request's headers."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_BYTES = 65_536  # of a request without its body
MOST_CONNECTIONS = 512
HEAD_SECONDS = 10  # from the connection, or the first byte, to the end of the headers


class BoundedConnection(HttpToolsProtocol):
    """httptools reads headers, and trailers after a body, of any length. Here a request
    with more than `MOST_BYTES` of them ends its connection, with 400 if it has no
    answer yet. A client that has not sent its headers after `HEAD_SECONDS` is
    disconnected without an answer. (uvicorn has no settings for either.)"""

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
        self._bytes += len(data)
        super().data_received(data)
        if self._bytes <= MOST_BYTES or self.transport.is_closing():
            return
        if self._is_between_requests():
            self.send_400_response("The headers are too long.")
        else:
            self.transport.abort()

    def on_headers_complete(self):
        self._stop_waiting()
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


# of `uvicorn.Config`, for the service and the page
BOUNDED = {
    "limit_concurrency": MOST_CONNECTIONS,
    "proxy_headers": False,
    "access_log": False,
    "loop": "asyncio",
    "http": BoundedConnection,
    "ws": "none",
}

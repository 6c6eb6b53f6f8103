"""A connection whose requests have a bound besides that of their bodies."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_BYTES = 65_536  # of a request without its body


class BoundedConnection(HttpToolsProtocol):
    """httptools reads headers, and what comes after a body, of any length; here a
    request with more than `MOST_BYTES` of them ends its connection, with 400 where it
    has no answer yet."""

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self._bytes = 0  # of the request that comes, without its body

    def data_received(self, data):
        self._bytes += len(data)
        super().data_received(data)
        if self._bytes <= MOST_BYTES or self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.send_400_response("The headers are too long.")
        else:
            self.transport.abort()

    def on_body(self, body):
        self._bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self):
        self._bytes = 0
        super().on_message_complete()

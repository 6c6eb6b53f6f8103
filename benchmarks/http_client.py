"""Asynchronous load generator for `serving.py`.

The work per request is small, so that the server is the bottleneck.
"""

import asyncio
import json
import math
import time

HEAD = (
    "POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    "Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
)
LENGTH = b"content-length: "


class Connection(asyncio.Protocol):
    """A connection that sends one request at a time."""

    def __init__(self):
        self._received = b""
        self._response = None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        start = self._received.lower().index(LENGTH) + len(LENGTH)
        size = int(self._received[start : self._received.index(b"\r", start)])
        if len(self._received) >= end + 4 + size:
            status, body = int(self._received[9:12]), self._received[end + 4 :]
            self._received = b""
            self._response.set_result((status, body))

    def connection_lost(self, error):
        if self._response and not self._response.done():
            self._response.set_exception(error or ConnectionResetError())

    async def send(self, request):
        """Sends the bytes of a request. Returns status and body of the response."""
        self._response = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self._response


def make_request(port, rows):
    """Returns the bytes of a request to `/predict`."""
    body = json.dumps({"rows": rows})
    return (HEAD.format(port=port, size=len(body)) + body).encode()


class Load:
    """Load of numbered requests, with statistics.

    Args:
        port: port of the server on 127.0.0.1.
        make_rows: function that maps the number of a request to its rows.
        is_correct: function of the number of a request and its decoded answers that
            returns whether the answers are correct.

    Attributes:
        seconds: response times of the requests with status 200 and correct answers.
        rejected: number of requests with another status.
        lost: number of requests without a response.
        wrong: number of requests with the answers of another request.
    """

    def __init__(self, port, make_rows, is_correct):
        self.port = port
        self.make_rows = make_rows
        self.is_correct = is_correct
        self.number = 0
        self.seconds, self.rejected, self.lost, self.wrong = [], 0, 0, 0

    async def run_clients(self, clients, seconds=None, requests=None):
        """Runs a closed loop: each client sends its next request after the response.

        Args:
            clients: number of clients.
            seconds: duration; `None` for no limit.
            requests: total number of requests; `None` for no limit.
        """
        deadline = time.perf_counter() + (seconds or math.inf)
        last = self.number + (requests or math.inf)

        async def work():
            connection = await self._connect()
            while self.number < last and time.perf_counter() < deadline:
                if not await self._send(connection, time.perf_counter()):
                    connection = await self._connect()
            connection.transport.close()

        await asyncio.gather(*(work() for _ in range(clients)))

    async def run_rate(self, clients, rate, seconds):
        """Runs an open loop with a fixed rate of requests per second.

        Response times are measured from the time at which a request was due, even if no
        client was free.

        Args:
            clients: number of clients.
            rate: requests per second.
            seconds: duration.
        """
        began, sent = time.perf_counter(), 0

        async def work():
            nonlocal sent
            connection = await self._connect()
            while (due := began + sent / rate) < began + seconds:
                sent += 1
                await asyncio.sleep(due - time.perf_counter())
                if not await self._send(connection, due):
                    connection = await self._connect()
            connection.transport.close()

        await asyncio.gather(*(work() for _ in range(clients)))

    async def _connect(self):
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(Connection, "127.0.0.1", self.port)
        return connection

    async def _send(self, connection, began):
        """Sends the next request. Returns whether the connection is still usable."""
        number = self.number
        self.number += 1
        request = make_request(self.port, self.make_rows(number))
        try:
            status, body = await connection.send(request)
        except OSError:
            self.lost += 1
            return False
        if status != 200:
            self.rejected += 1
        elif not self.is_correct(number, json.loads(body)["answers"]):
            self.wrong += 1
        else:
            self.seconds.append(time.perf_counter() - began)
        return True

"""Requests to the service over open connections, with little work for each: what is
measured is the server. Used by `serving.py`."""

import asyncio
import json
import time

HEAD = (
    "POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    "Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
)
LENGTH = b"content-length: "


class Connection(asyncio.Protocol):
    """One connection, with one request at a time."""

    def __init__(self):
        self._received = b""
        self._answer = None

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
            self._answer.set_result((status, body))

    def connection_lost(self, error):
        if self._answer and not self._answer.done():
            self._answer.set_exception(error or ConnectionResetError())

    async def ask(self, request):
        """The status and the body that answer a request, bytes."""
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self._answer


def make_request(port, rows):
    """The bytes of a request to `/predict`."""
    body = json.dumps({"rows": rows})
    return (HEAD.format(port=port, size=len(body)) + body).encode()


class Load:
    """Requests to a server, and what came of them.

    Args:
        port: of the server, on 127.0.0.1.
        make_rows: a function of a number to the rows of that request.
        is_right: a function of a number and the answers, decoded JSON.

    Attributes:
        seconds: of each request that was answered with 200.
        refused: requests with another status.
        lost: requests without answer.
        wrong: requests with an answer that is not theirs.
    """

    def __init__(self, port, make_rows, is_right):
        self.port = port
        self.make_rows = make_rows
        self.is_right = is_right
        self.number = 0
        self.seconds, self.refused, self.lost, self.wrong = [], 0, 0, 0

    async def run_clients(self, clients, seconds=None, requests=None):
        """Clients that ask again as soon as they are answered, for some time or for a
        number of requests of all."""
        until = time.perf_counter() + (seconds or 10**9)
        last = self.number + (requests or 10**12)

        async def work():
            connection = await self._connect()
            while self.number < last and time.perf_counter() < until:
                if not await self._ask(connection, time.perf_counter()):
                    connection = await self._connect()
            connection.transport.close()

        await asyncio.gather(*(work() for _ in range(clients)))

    async def run_rate(self, clients, rate, seconds):
        """So many requests a second, whatever the answers take: their times count from
        the moment that each was due, also where no client was free."""
        began, due = time.perf_counter(), 0

        async def work():
            nonlocal due
            connection = await self._connect()
            while (moment := began + due / rate) < began + seconds:
                due += 1
                await asyncio.sleep(moment - time.perf_counter())
                if not await self._ask(connection, moment):
                    connection = await self._connect()
            connection.transport.close()

        await asyncio.gather(*(work() for _ in range(clients)))

    async def _connect(self):
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(Connection, "127.0.0.1", self.port)
        return connection

    async def _ask(self, connection, began):
        """Ask the next request; whether the connection can be used again."""
        number, self.number = self.number, self.number + 1
        request = make_request(self.port, self.make_rows(number))
        try:
            status, body = await connection.ask(request)
        except OSError:
            self.lost += 1
            return False
        if status != 200:
            self.refused += 1
        elif not self.is_right(number, json.loads(body)["answers"]):
            self.wrong += 1
        else:
            self.seconds.append(time.perf_counter() - began)
        return True

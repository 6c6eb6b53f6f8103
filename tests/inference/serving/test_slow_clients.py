"""Clients that send slowly or nothing, at the service over HTTP: `make test-serve`."""

import http.client
import socket
import time

import pytest

pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

from tests.support.services import HEAD, predict


def test_a_body_that_comes_slowly_is_answered_in_the_end(port):
    body = b'{"rows": [["a", "b"]]}'
    with socket.create_connection(("127.0.0.1", port)) as connection:
        head = (
            f"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}"
        )
        connection.sendall(head.encode() + b"\r\n\r\n")
        for byte in body:
            connection.sendall(bytes([byte]))
            time.sleep(0.01)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")


def test_clients_are_answered_while_another_one_sends_nothing(port):
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
    assert predict(port, [["a", "b"]])[0] == 200
    for connection in silent:
        connection.close()


def read_all(connection):
    """What comes until the service closes a connection."""
    connection.settimeout(30)
    return b"".join(iter(lambda: connection.recv(1000), b""))


@pytest.mark.parametrize("sent", [b"", b"P", b"POST /predict HTTP/1.1\r\nHost: loc"])
def test_who_connects_and_is_silent_is_not_waited_for(hurried, sent):
    with socket.create_connection(("127.0.0.1", hurried[1])) as connection:
        connection.sendall(sent)
        assert read_all(connection) == b""


@pytest.mark.parametrize("sent", [b"\r", b"G"])
def test_who_is_silent_after_an_answer_is_not_waited_for(hurried, sent):
    with socket.create_connection(("127.0.0.1", hurried[1])) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        connection.sendall(sent)
        read_all(connection)


def test_a_body_that_does_not_come_is_answered_408(hurried):
    with socket.create_connection(("127.0.0.1", hurried[1])) as connection:
        connection.sendall(HEAD.format(size=10).encode() + b"12")
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 408 ") and b"no whole body within" in answer


def test_connections_that_ask_in_time_stay(hurried):
    connection = http.client.HTTPConnection("127.0.0.1", hurried[1], timeout=30)
    connection.connect()
    first = connection.sock
    for _ in range(4):
        connection.request("GET", "/health")
        assert b"ok" in connection.getresponse().read()
        time.sleep(0.3)
    assert connection.sock is first
    connection.close()

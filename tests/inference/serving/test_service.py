"""The service over HTTP with a model that needs no Keras: `make test-serve`."""

import contextlib
import http.client
import json
import re
import signal
import socket
import time

import pytest

pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

from dsa.inference.serving.bounded_connection import MOST_CONNECTIONS
from tests.support.processes import wait_for
from tests.support.services import FAKE, HEAD, ask, predict, read_count, run_service

PAIR = ["a", "b"]
WAIT = {"rows": [["wait", "b"]]}


def begin_to_wait(pool, port, more=()):
    """Ask what waits for the gate, and more after it; futures of the answers."""
    futures = [pool.submit(ask, port, "/predict", WAIT)]
    wait_for(lambda: read_count(port, "dsa_batch_rows_count") == 1)
    futures += [pool.submit(predict, port, rows) for rows in more]
    wait_for(lambda: read_count(port, "dsa_queue_rows") == sum(map(len, more)))
    return futures


def test_rows_are_answered_in_their_order(port):
    rows = [[f"a{n}", f"b{n}"] for n in range(1000)]
    status, headers, content = predict(port, rows)
    assert status == 200 and headers["Content-Type"] == "application/json"
    assert [answer["row"] for answer in content["answers"]] == rows
    status, _, content = ask(port, "/encode", {"texts": ["a", "b"]})
    assert content["answers"] == [{"kind": "encode", "row": [t]} for t in "ab"]


def test_many_clients_get_their_own_answers(port, pool):
    def work(client):
        for turn in range(50):
            rows = [[f"{client} {turn} {n}", "b"] for n in range(1 + turn % 3)]
            _, _, content = predict(port, rows)
            assert [answer["row"] for answer in content["answers"]] == rows

    assert list(pool.map(work, range(8))) == [None] * 8


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("/", None, 404, "no such path. There are: /predict, /encode, /explain, /he"),
        ("/docs", None, 404, "no such path"),
        ("/openapi.json", None, 404, "no such path"),
        ("/predict/", b"{}", 404, "no such path"),
        ("/predict", None, 405, "^this path takes POST$"),
        ("/health", b"{}", 405, "^this path takes GET$"),
        ("/predict", b"\xff", 400, "Invalid JSON: expected value at"),
        ("/predict", b"", 400, "Invalid JSON: EOF while parsing"),
        ("/predict", b'{"rows": [{"\\ud800": "x"}]}', 400, "Invalid JSON"),
        ("/predict", [1], 400, "the body must be a JSON object with 'rows'"),
        ("/predict", {"rows": ["a"]}, 400, "row 1: this run reads premise and hyp"),
        ("/predict", {"rows": [PAIR] * 1001}, 413, "'rows' has 1,001 items; a requ"),
        ("/predict", {"rows": [["a" * 100_000, "b"]]}, 413, "has 100,000 characters"),
        ("/predict", b" " * (2**20 + 1), 413, "the body has more than 1,048,576 byt"),
        ("/predict", b" " * 9 * 2**20, 413, "the body has more than 1,048,576 bytes"),
        ("/explain", {"row": PAIR}, 400, "nothing is looked at"),
        ("/predict", {"rows": [["refuse", "b"]]}, 400, "^told to refuse, in two lin"),
        ("/predict", {"rows": [["fail", "b"]]}, 500, "the model failed"),
    ],
)
def test_what_cannot_be_answered_is_one_line_and_the_service_stays(
    port, path, body, status, reason
):
    try:
        given, _, content = ask(port, path, body)
    except ConnectionError:  # it did not read all of the largest body
        assert len(body) > 8 * 2**20
    else:
        assert given == status and re.search(reason, content["error"])
        assert list(content) == ["error"] and "\n" not in content["error"]
    assert predict(port, [PAIR])[0] == 200
    assert ask(port, "/health")[2] == {
        "status": "ok",
        "version": ask(port, "/health")[2]["version"],
        "model": "fake",
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_other_sites_are_not_answered(port, headers):
    for path, body in (("/predict", {"rows": [PAIR]}), ("/health", None)):
        status, _, content = ask(port, path, body, headers)
        assert status == 403 and "Host or Origin" in content["error"]


def test_further_names_of_the_server_are_answered():
    with run_service("any", "--names", "Models.example", module=FAKE) as (_, port):
        assert ask(port, "/health", headers={"Host": "models.example:80"})[0] == 200
        assert ask(port, "/health", headers={"Host": "evil.example"})[0] == 403


def test_what_is_no_http_is_refused_and_the_service_stays(port):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"\x00\x01 nothing\r\n\r\n")
        assert b" 400 " in connection.recv(1000).split(b"\r\n")[0]
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nx: " + b"y" * 200_000)
        assert b" 431 " in connection.recv(1000).split(b"\r\n")[0]
    assert predict(port, [PAIR])[0] == 200


def test_what_follows_a_body_without_end_is_refused(port):
    head = b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
        with contextlib.suppress(ConnectionError):
            for number in range(100):
                connection.sendall(b"x%d: " % number + b"y" * 2000 + b"\r\n")
            assert connection.recv(1000) == b""
    assert predict(port, [PAIR])[0] == 200


def test_a_long_body_that_comes_with_its_head_is_answered(port):
    body = json.dumps({"rows": [PAIR] * 900}).encode() + b" " * 150_000
    head = HEAD.format(size=len(body)).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(head + body)
        assert connection.recv(1000).split(b"\r\n")[0] == b"HTTP/1.1 200 OK"


def test_a_client_that_closes_its_side_is_answered(port):
    body = json.dumps({"rows": [PAIR]}).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(HEAD.format(size=len(body)).encode() + body)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(1000), b""))
    assert answer.startswith(b"HTTP/1.1 200 OK") and b"answers" in answer


def test_an_upgrade_to_another_protocol_is_ignored(port):
    headers = {"Upgrade": "h2c", "Connection": "Upgrade", "HTTP2-Settings": "AAMAAABk"}
    status, _, content = ask(port, "/predict", {"rows": [PAIR]}, headers)
    assert status == 200 and content["answers"][0]["row"] == PAIR


def test_one_connection_too_many_is_told_when_to_come_again():
    with run_service("any", module=FAKE) as (_, port), contextlib.ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/health")
        response = connection.getresponse()
        assert response.status == 503 and response.headers["Retry-After"] == "1"
        stack.close()
        wait_for(lambda: ask(port, "/health")[0] == 200)


def test_a_refusal_takes_a_while_so_that_a_storm_costs_little(gate, pool):
    bounds = ("--queue-rows", "1", "--request-rows", "1")
    with run_service("any", *bounds, module=FAKE) as (_, port):
        taken = begin_to_wait(pool, port, [[PAIR]])
        for _ in range(2):
            began = time.monotonic()
            assert predict(port, [PAIR])[0] == 503
            assert time.monotonic() - began >= 0.5
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(HEAD.format(size=1000).encode())  # and no body
            assert connection.recv(1000).startswith(b"HTTP/1.1 503 ")
        gate.touch()
        assert [future.result()[0] for future in taken] == [200, 200]


def test_counts_are_told(port):
    name = 'dsa_requests_total{path="/predict",status="200"}'
    before = read_count(port, name)
    predict(port, [PAIR] * 3)
    assert read_count(port, name) == before + 1


def test_a_full_queue_answers_503_and_when_to_come_again(gate, pool):
    bounds = ("--queue-rows", "3", "--request-rows", "3")
    with run_service("any", *bounds, module=FAKE) as (_, port):
        taken = begin_to_wait(pool, port, [[PAIR] * 3])
        status, headers, content = predict(port, [PAIR])
        assert status == 503 and headers["Retry-After"] == "1"
        assert content == {"error": "3 rows wait already: try again later"}
        assert ask(port, "/health")[0] == 200  # still
        gate.touch()
        assert [future.result()[0] for future in taken] == [200, 200]
        assert predict(port, [PAIR])[0] == 200


def test_who_waits_too_long_is_answered_503(gate, pool):
    with run_service("any", "--queue-ms", "1000", module=FAKE) as (_, port):
        first, second = begin_to_wait(pool, port, [[PAIR]])
        time.sleep(1.1)
        gate.touch()
        assert first.result()[0] == 200
        status, headers, content = second.result()
        assert status == 503 and headers["Retry-After"] == "1"
        assert content["error"].startswith("waited for more than 1000 ms")


def test_too_many_rows_a_second_are_answered_429():
    bounds = ("--rate", "1", "--request-rows", "100")
    with run_service("any", *bounds, module=FAKE) as (_, port):
        assert predict(port, [PAIR] * 100)[0] == 200
        status, headers, content = predict(port, [PAIR] * 100)
        assert status == 429 and 1 < int(headers["Retry-After"]) <= 100
        assert content == {"error": "too many rows per second"}


def test_a_client_that_goes_away_stops_nobody(gate, pool):
    waits = json.dumps(WAIT).encode()
    with run_service("any", module=FAKE) as (_, port):
        for size, body in ((len(waits), waits), (90, b"{")):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                head = HEAD.format(size=size).encode()
                connection.sendall(head + body)
                wait_for(lambda: read_count(port, "dsa_batch_rows_count") == 1)
        future = pool.submit(predict, port, [PAIR])
        wait_for(lambda: read_count(port, "dsa_queue_rows") == 1)
        gate.touch()
        assert future.result()[0] == 200
        assert predict(port, [PAIR])[0] == 200


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGTERM, 0, ""), (signal.SIGINT, 130, "interrupted\n")],
)
def test_what_was_taken_in_is_answered_before_the_end(gate, pool, number, code, word):
    with run_service("any", module=FAKE) as (process, port):
        more = [[[f"a{n}", "b"]] for n in range(5)]
        taken = begin_to_wait(pool, port, more)
        process.send_signal(number)
        wait_for(lambda: refuses_connections(port))
        assert process.poll() is None
        gate.touch()
        answers = [future.result()[2]["answers"][0]["row"] for future in taken]
        assert answers == [["wait", "b"], *(row for (row,) in more)]
        _, error = process.communicate(timeout=60)
        assert (process.returncode, error) == (code, word)


def test_a_signal_right_after_the_address_ends_with_0():
    for _ in range(3):
        with run_service("any", module=FAKE) as (process, _):
            process.terminate()
            assert process.communicate(timeout=60) == ("", "")
            assert process.returncode == 0


def refuses_connections(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionError:
        return True
    return False


def test_a_computation_without_end_does_not_stop_the_end(gate, hurried, pool):
    process, port = hurried
    pool.submit(ask, port, "/predict", WAIT)  # nobody looks at its answer
    wait_for(lambda: read_count(port, "dsa_batch_rows_count") == 1)
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 1 and "has not answered in time" in error

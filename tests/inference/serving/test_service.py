"""The service over HTTP with a model without Keras: `make test-serve`."""

import json
import re
import signal
import socket

import pytest

pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

from tests.support.processes import wait_for
from tests.support.services import (
    FAKE,
    HEAD,
    predict,
    read_metric,
    request,
    run_service,
)

PAIR = ["a", "b"]
BLOCKING = {"rows": [["wait", "b"]]}


def block(pool, port, requests=()):
    """Sends a request that blocks the model, and requests that wait in the queue.

    Returns: futures of the responses.
    """
    futures = [pool.submit(request, port, "/predict", BLOCKING)]
    wait_for(lambda: read_metric(port, "dsa_batch_rows_count") == 1)
    for rows in requests:
        futures.append(pool.submit(predict, port, rows))
    wait_for(lambda: read_metric(port, "dsa_queue_rows") == sum(map(len, requests)))
    return futures


def test_answers_are_in_the_order_of_the_rows(port):
    rows = [[f"a{n}", f"b{n}"] for n in range(1000)]
    status, headers, content = predict(port, rows)
    assert status == 200 and headers["Content-Type"] == "application/json"
    assert [answer["row"] for answer in content["answers"]] == rows
    status, _, content = request(port, "/encode", {"texts": ["a", "b"]})
    assert content["answers"] == [{"kind": "encode", "row": [t]} for t in "ab"]


def test_concurrent_clients_get_their_own_answers(port, pool):
    def work(client):
        for turn in range(50):
            rows = [[f"{client} {turn} {n}", "b"] for n in range(1 + turn % 3)]
            _, _, content = predict(port, rows)
            assert [answer["row"] for answer in content["answers"]] == rows

    assert list(pool.map(work, range(8))) == [None] * 8


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/", None, 404, "Not Found"),
        ("/docs", None, 404, "Not Found"),
        ("/predict", None, 405, "Method Not Allowed"),
        ("/health", b"{}", 405, "Method Not Allowed"),
        ("/predict", b"\xff", 400, "the body is not JSON"),
        ("/predict", [1], 400, "the body must be a JSON object with the single key"),
        ("/predict", {"rows": ["a"]}, 400, "row 1: expected premise and hyp"),
        ("/predict", {"rows": [PAIR] * 1001}, 413, "'rows' is limited to 1,000 items"),
        (
            "/predict",
            {"rows": [["a" * 100_000, "b"]]},
            413,
            "4,000 characters. Received: 100,000",
        ),
        ("/predict", b" " * (2**20 + 1), 413, "exceeds the limit of 1,048,576 bytes"),
        ("/predict", b" " * 9 * 2**20, 413, "exceeds the limit of 1,048,576 bytes"),
        ("/explain", {"row": PAIR}, 400, "a model without explanations"),
        ("/predict", {"rows": [["reject", "b"]]}, 400, "^rejected by the model, in t"),
        ("/predict", {"rows": [["fail", "b"]]}, 500, "the model failed"),
        ("/predict", {"rows": [["break", "b"]]}, 500, "the model failed"),
    ],
)
def test_an_error_is_one_line_of_json_and_the_service_continues(
    port, path, body, status, message
):
    actual_status, _, content = request(port, path, body)
    assert actual_status == status and re.search(message, content["error"])
    assert list(content) == ["error"] and "\n" not in content["error"]
    assert predict(port, [PAIR])[0] == 200


def test_health_describes_the_model(port):
    status, _, content = request(port, "/health")
    assert status == 200
    assert {**content, "version": None} == {
        "status": "ok",
        "version": None,
        "model": "fake",
    }


def test_other_hosts_are_rejected_on_the_loopback(port):
    for host in ("localhost:80", "[::1]:80"):
        assert request(port, "/health", headers={"Host": host})[0] == 200
    for path, body in (("/predict", {"rows": [PAIR]}), ("/health", None)):
        headers = {"Host": "evil.example"}
        assert request(port, path, body, headers)[0] == 400


def test_any_host_is_accepted_on_other_addresses():
    with run_service("any", "--host", "0.0.0.0", module=FAKE) as (_, port):
        headers = {"Host": "models.example"}
        assert request(port, "/health", headers=headers)[0] == 200


def test_invalid_http_is_rejected_and_the_service_continues(port):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"\x00\x01 nothing\r\n\r\n")
        assert b" 400 " in connection.recv(1000).split(b"\r\n")[0]
    assert predict(port, [PAIR])[0] == 200


def test_metrics_are_in_the_format_of_prometheus(port):
    name = 'dsa_requests_total{path="/predict",status="200"}'
    before = read_metric(port, name)
    predict(port, [PAIR] * 3)
    assert read_metric(port, name) == before + 1
    lines = request(port, "/metrics")[2].splitlines()
    for line in (
        "# TYPE dsa_requests_total counter",
        "# TYPE dsa_rows_total counter",
        "# TYPE dsa_request_seconds histogram",
        "# TYPE dsa_batch_rows histogram",
        "dsa_queue_rows 0.0",
    ):
        assert line in lines


def test_a_full_queue_responds_with_503_and_retry_after(gate, pool):
    with run_service("any", "--queue-rows", "3", module=FAKE) as (_, port):
        futures = block(pool, port, [[PAIR] * 3])
        status, headers, content = predict(port, [PAIR])
        assert status == 503 and headers["Retry-After"] == "1"
        assert content == {
            "error": "the queue is full: 3 rows are waiting. Try again later"
        }
        assert request(port, "/health")[0] == 200
        gate.touch()
        assert [future.result()[0] for future in futures] == [200, 200]
        assert predict(port, [PAIR])[0] == 200


def test_a_client_that_disconnects_does_not_disturb_others(gate, pool):
    body = json.dumps(BLOCKING).encode()
    with run_service("any", module=FAKE) as (_, port):
        for size, part in ((len(body), body), (90, b"{")):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(HEAD.format(size=size).encode() + part)
                wait_for(lambda: read_metric(port, "dsa_batch_rows_count") == 1)
        future = pool.submit(predict, port, [PAIR])
        wait_for(lambda: read_metric(port, "dsa_queue_rows") == 1)
        gate.touch()
        assert future.result()[0] == 200
        assert predict(port, [PAIR])[0] == 200


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [(signal.SIGTERM, -signal.SIGTERM, ""), (signal.SIGINT, 130, "interrupted\n")],
)
def test_accepted_requests_are_answered_before_the_end(
    gate, pool, number, code, message
):
    with run_service("any", module=FAKE) as (process, port):
        requests = [[[f"a{n}", "b"]] for n in range(5)]
        futures = block(pool, port, requests)
        process.send_signal(number)
        wait_for(lambda: rejects_connections(port))
        assert process.poll() is None
        gate.touch()
        rows = [future.result()[2]["answers"][0]["row"] for future in futures]
        assert rows == [["wait", "b"], *(row for (row,) in requests)]
        _, error = process.communicate(timeout=60)
        assert (process.returncode, error) == (code, message)


def test_a_request_that_exceeds_the_shutdown_limit_gets_an_error(
    gate, pool, monkeypatch
):
    monkeypatch.setenv("FAKE_SHUTDOWN_SECONDS", "1")
    with run_service("any", module=FAKE) as (process, port):
        (future,) = block(pool, port)
        process.send_signal(signal.SIGTERM)
        status, _, content = future.result()
        assert (status, content) == (503, {"error": "the service is stopping"})
        gate.touch()
        assert "Traceback" not in process.communicate(timeout=60)[1]


def rejects_connections(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionError:
        return True
    return False

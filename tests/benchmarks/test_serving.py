"""The load generator of the service counts every kind of response."""

import asyncio
import importlib
import json

import pytest


@pytest.fixture
def serving(monkeypatch):
    monkeypatch.syspath_prepend("benchmarks")
    return importlib.import_module("serving")


def run_load(answer, make_task):
    """Runs a load against a fake server; returns the `Load`.

    Args:
        answer: a function of the number of a request and its rows that returns a status
            and answers, or `None` to close the connection.
        make_task: a coroutine function of the load.
    """
    from http_client import Load

    count = 0

    async def handle(reader, writer):
        nonlocal count
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = int(head.split(b"Content-Length: ")[1].split(b"\r")[0])
                rows = json.loads(await reader.readexactly(size))["rows"]
                count += 1
                if (response := answer(count, rows)) is None:
                    break
                status, answers = response
                body = json.dumps({"answers": answers}).encode()
                line = f"HTTP/1.1 {status} X\r\ncontent-length: {len(body)}\r\n\r\n"
                writer.write(line.encode())
                await writer.drain()  # head and body arrive separately
                writer.write(body)
        except asyncio.IncompleteReadError:
            pass
        writer.close()

    async def run():
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        load = Load(port, lambda n: [[str(n)]], lambda n, answers: answers == [str(n)])
        await make_task(load)
        server.close()
        return load

    return asyncio.run(run())


def test_every_request_is_answered_once(serving):
    load = run_load(
        lambda n, rows: (200, rows[0]), lambda load: load.run_clients(7, requests=100)
    )
    assert len(load.seconds) == load.number == 100
    assert (load.rejected, load.lost, load.wrong) == (0, 0, 0)


def test_rejected_lost_and_exchanged_answers_are_counted(serving):
    def answer(n, rows):
        if n % 10 == 0:
            return None
        return (503, []) if n % 10 == 1 else (200, ["7" if n % 10 == 2 else rows[0][0]])

    load = run_load(answer, lambda load: load.run_clients(1, requests=100))
    assert (load.rejected, load.lost, load.wrong) == (10, 10, 10)
    assert len(load.seconds) == 70


def test_a_fixed_rate_sends_the_due_number_of_requests(serving):
    load = run_load(
        lambda n, rows: (200, rows[0]), lambda load: load.run_rate(4, 100, 0.5)
    )
    assert load.number == len(load.seconds) == 50


def test_percentiles_and_growth(serving):
    seconds = [n / 1000 for n in range(1, 1001)]
    assert serving.describe_times(seconds) == {
        "p50_ms": 500,
        "p99_ms": 990,
        "p99.9_ms": 999,
    }
    assert serving.compute_growth([100, 200] + [300] * 16 + [310, 312]) == 11
    assert serving.compute_growth([1, 2]) is None


def test_the_answers_of_another_request_are_wrong(serving):
    pairs = serving.Pairs.__new__(serving.Pairs)
    answer = {"probabilities": {"a": 0.25, "b": 0.75}, "unknown": ["word3", "guitar"]}
    pairs.answers = {3: answer}
    number = 3 + len(serving.SENTENCES)
    own = answer | {"unknown": [f"word{number}", "guitar"]}
    assert pairs.is_correct(number, [own])
    assert not pairs.is_correct(number, [answer])
    assert not pairs.is_correct(number, [own | {"probabilities": {"a": 0.3, "b": 0.7}}])
    assert pairs.make_rows(number)[0][0].startswith(f"word{number} ")

"""The batch queue, with a function as the model."""

import asyncio
import threading
import time

import pytest

from dsa.inference.serving.batch_queue import BatchQueue, QueueFullError
from dsa.inference.serving.limits import Limits

SECONDS = 60  # longest wait


class BlockingModel:
    """Returns each row with its kind, and records the batches.

    The row "block" blocks the model until `release` is set. Exceptions among the rows
    are raised.
    """

    def __init__(self):
        self.batches = []
        self.threads = set()
        self.release = threading.Event()

    def __call__(self, kind, rows):
        self.batches.append((kind, list(rows)))
        self.threads.add(threading.get_ident())
        if "block" in rows:
            assert self.release.wait(SECONDS)
        for row in rows:
            if isinstance(row, Exception):
                raise row
        return [(kind, row) for row in rows]


def submit_while_busy(model, queue, requests):
    """Submits requests while the model computes another one.

    Returns: their answers or exceptions. `model.batches` has only their batches.
    """

    async def run():
        first = asyncio.create_task(queue.submit("predict", ["block"]))
        while not model.batches:
            await asyncio.sleep(0.001)
        tasks = [asyncio.create_task(queue.submit(*request)) for request in requests]
        await asyncio.sleep(0)
        waiting = queue.waiting_rows
        model.release.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert await first == [("predict", "block")]
        assert queue.waiting_rows == 0
        return waiting, results

    waiting, results = asyncio.run(asyncio.wait_for(run(), SECONDS))
    assert model.batches.pop(0) == ("predict", ["block"])
    return waiting, results


@pytest.fixture
def model():
    return BlockingModel()


def test_waiting_requests_of_a_kind_are_computed_together_and_in_order(model):
    queue = BatchQueue(model, Limits(batch_rows=4))
    kinds, rows = ["predict", "encode", "predict", "predict"], ["ab", "x", "c", "def"]
    requests = [(kind, list(text)) for kind, text in zip(kinds, rows, strict=True)]
    waiting, results = submit_while_busy(model, queue, requests)
    assert waiting == 7
    assert model.batches == [
        ("predict", ["a", "b"]),
        ("encode", ["x"]),
        ("predict", ["c", "d", "e", "f"]),
    ]
    for (kind, texts), answers in zip(requests, results, strict=True):
        assert answers == [(kind, text) for text in texts]
    assert len(model.threads) == 1


def test_a_batch_has_no_more_rows_than_its_limit_unless_a_request_has(model):
    queue = BatchQueue(model, Limits(batch_rows=2))
    requests = [("predict", list(rows)) for rows in ("a", "b", "cde", "f")]
    submit_while_busy(model, queue, requests)
    batches = [rows for _, rows in model.batches]
    assert batches == [["a", "b"], ["c", "d", "e"], ["f"]]


def test_explanations_are_computed_one_at_a_time(model):
    requests = [("explain", ["a"]), ("explain", ["b"]), ("predict", ["c"])]
    submit_while_busy(model, BatchQueue(model, Limits()), requests)
    assert model.batches == requests


def test_each_of_10000_concurrent_requests_gets_its_own_answers(model):
    queue = BatchQueue(model, Limits(queue_rows=10**6))

    async def ask(client):
        for turn in range(100):
            rows = [(client, turn, n) for n in range(1 + turn % 3)]
            kind = ("predict", "encode")[turn % 2]
            assert await queue.submit(kind, rows) == [(kind, row) for row in rows]

    async def run():
        await asyncio.gather(*(ask(client) for client in range(100)))

    asyncio.run(run())
    sizes = [len(rows) for _, rows in model.batches]
    assert sum(sizes) == 100 * (34 + 2 * 33 + 3 * 33)
    assert len(sizes) < sum(sizes) / 10 and max(sizes) <= queue.limits.batch_rows


def test_a_full_queue_rejects_requests_that_do_not_fit(model):
    queue = BatchQueue(model, Limits(queue_rows=3))
    requests = [("predict", ["a", "b"]), ("predict", ["c", "d"]), ("predict", ["e"])]
    waiting, (first, second, third) = submit_while_busy(model, queue, requests)
    assert waiting == 3
    assert first == [("predict", "a"), ("predict", "b")]
    assert isinstance(second, QueueFullError)
    assert str(second) == "the queue is full: 2 rows are waiting. Try again later"
    assert third == [("predict", "e")]


def test_an_empty_queue_accepts_more_rows_than_its_limit(model):
    queue = BatchQueue(model, Limits(queue_rows=1))
    assert len(asyncio.run(queue.submit("predict", ["a", "b"]))) == 2


def test_only_the_request_at_fault_receives_the_exception(model):
    rows = ["a", ValueError("broken"), "b", MemoryError("large")]
    requests = [("predict", [row]) for row in rows]
    _, results = submit_while_busy(model, BatchQueue(model, Limits()), requests)
    assert results == [[("predict", "a")], rows[1], [("predict", "b")], rows[3]]


def test_a_cancelled_request_does_not_stop_the_others(model):
    queue = BatchQueue(model, Limits())

    async def run():
        first = asyncio.create_task(queue.submit("predict", ["block"]))
        second = asyncio.create_task(queue.submit("predict", ["a"]))
        await asyncio.sleep(0.05)
        first.cancel()
        model.release.set()
        return await second

    assert asyncio.run(run()) == [("predict", "a")]


def test_a_batch_waits_for_more_requests_after_a_batch_of_several(model):
    queue = BatchQueue(model, Limits(batch_ms=200))
    submit_while_busy(model, queue, [("predict", ["a"]), ("predict", ["b"])])
    model.batches.clear()

    async def run():
        first = asyncio.create_task(queue.submit("predict", ["c"]))
        await asyncio.sleep(0.05)
        await queue.submit("predict", ["d"])
        await first

    asyncio.run(run())
    assert model.batches == [("predict", ["c", "d"])]


def test_a_single_client_never_waits(model):
    queue = BatchQueue(model, Limits(batch_ms=1000 * SECONDS))
    began = time.monotonic()
    for row in "abc":
        asyncio.run(queue.submit("predict", [row]))
    assert time.monotonic() - began < SECONDS


def test_each_batch_is_reported(model):
    sizes = []
    queue = BatchQueue(model, Limits(), sizes.append)
    asyncio.run(queue.submit("predict", ["a", "b"]))
    asyncio.run(queue.submit("encode", []))
    assert sizes == [2, 0]

"""What the queue of the service refuses, and what fails in it."""

import time
from concurrent.futures import CancelledError, wait

import pytest

from dsa.inference.serving.batch_queue import BatchQueue, QueueFull
from tests.support.fake_model import SECONDS, keep_busy


def test_a_full_queue_refuses_and_takes_again_later(model, start):
    queue = start(queue_rows=3)
    first = keep_busy(queue, model)
    second = queue.submit("predict", ["a", "b"])
    with pytest.raises(QueueFull, match="^2 rows wait already: try again later$"):
        queue.submit("predict", ["c", "d"])
    third = queue.submit("predict", ["c"])  # one more has room
    model.open.set()
    assert wait([first, second, third], SECONDS).not_done == set()
    assert queue.submit("predict", list("efg")).result(SECONDS)


def test_after_a_refusal_there_is_no_room_until_a_full_request_fits(model, start):
    queue = start(queue_rows=4, request_rows=3)
    first = keep_busy(queue, model)
    second = queue.submit("predict", ["a", "b"])
    queue.check_room()  # nobody was refused
    with pytest.raises(QueueFull):
        queue.submit("predict", ["c", "d", "e"])
    with pytest.raises(QueueFull, match="^2 rows wait already: try again later$"):
        queue.check_room()
    model.open.set()
    assert wait([first, second], SECONDS).not_done == set()
    queue.check_room()


def test_who_has_waited_too_long_is_refused_and_not_computed(model, start):
    queue = start(queue_ms=1000)
    first = keep_busy(queue, model)
    late = queue.submit("predict", ["late"])
    time.sleep(1.1)
    model.open.set()
    with pytest.raises(QueueFull, match="^waited for more than 1000 ms: try again"):
        late.result(SECONDS)
    assert first.result(SECONDS)  # it was begun in time
    assert queue.submit("predict", ["next"]).result(SECONDS)
    assert ["late"] not in [rows for _, rows in model.batches]


def test_a_cancelled_request_is_not_computed_and_stops_nobody(model, start):
    queue = start()
    keep_busy(queue, model)
    futures = [queue.submit("predict", [row]) for row in "abc"]
    assert futures[1].cancel()
    model.open.set()
    assert futures[0].result(SECONDS) and futures[2].result(SECONDS)
    with pytest.raises(CancelledError):
        futures[1].result()
    assert model.batches[1:] == [("predict", ["a", "c"])]
    assert queue.rows == 0


def test_a_row_that_fails_harms_nobody_in_its_batch(model, start):
    queue = start()
    keep_busy(queue, model)
    rows = [ValueError(str(n)) if n in (3, 40) else n for n in range(64)]
    futures = [queue.submit("predict", [row]) for row in rows]
    model.open.set()
    for row, future in zip(rows, futures, strict=True):
        if isinstance(row, Exception):
            assert future.exception(SECONDS) is row
        else:
            assert future.result(SECONDS) == [("predict", row)]
    assert len(model.batches) < 30  # halves, not single rows


def test_an_exception_is_answered_and_the_next_batch_is_computed(model, start):
    queue = start()
    with pytest.raises(MemoryError):
        queue.submit("predict", ["a", MemoryError()]).result(SECONDS)
    assert queue.submit("predict", ["a"]).result(SECONDS) == [("predict", "a")]


def test_answers_that_are_too_few_are_given_to_nobody():
    queue = BatchQueue(lambda kind, rows: rows[:-1])
    with pytest.raises(RuntimeError, match="^1 answers to 2 rows$"):
        queue.submit("predict", ["a", "b"]).result(SECONDS)
    queue.close()


def test_a_part_that_fails_fails_its_request_alone(model, start):
    queue = start(batch_rows=1)
    keep_busy(queue, model)
    broken = queue.submit("predict", ["a", ValueError("broken"), "never"])
    other = queue.submit("predict", ["b", "c"])
    model.open.set()
    assert other.result(SECONDS) == [("predict", "b"), ("predict", "c")]
    with pytest.raises(ValueError, match="^broken$"):
        broken.result(SECONDS)
    assert queue.rows == 0 and ("predict", ["never"]) not in model.batches

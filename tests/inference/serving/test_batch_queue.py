"""The queue of the service, with a model that is a function."""

import threading
import time
from concurrent.futures import wait

import pytest

from dsa.inference.serving.batch_queue import BatchQueue, QueueFull
from dsa.inference.serving.bounds import Bounds
from tests.support.fake_model import SECONDS, keep_busy


def make_crowd(queue, model):
    """Let the queue compute two requests together: now it waits for others."""
    futures = [keep_busy(queue, model)]
    futures += [queue.submit("predict", [row]) for row in ("one", "two")]
    model.open.set()
    assert wait(futures, SECONDS).not_done == set()
    assert model.batches.pop() == ("predict", ["one", "two"])
    model.batches.clear()


def test_100000_requests_of_many_threads_get_their_own_answers(model, start):
    queue, threads, turns, count = start(queue_rows=10**6), 10, 100, 100
    wrong = []

    def ask(thread):
        for turn in range(turns):
            asked = [
                (("predict", "encode")[n % 2], [(thread, turn, n)] * (1 + n % 3))
                for n in range(count)
            ]
            futures = [queue.submit(kind, rows) for kind, rows in asked]
            for future, (kind, rows) in zip(futures, asked, strict=True):
                if future.result(SECONDS) != [(kind, row) for row in rows]:
                    wrong.append(rows)

    workers = [threading.Thread(target=ask, args=(n,)) for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == [] and queue.rows == 0
    rows = [row for _, rows in model.batches for row in rows]
    assert len(set(rows)) == threads * turns * count == 100_000
    assert len(model.batches) < len(rows) / 10  # many together
    assert max(len(rows) for _, rows in model.batches) <= queue.bounds.batch_rows


def test_what_waits_is_computed_together_and_in_its_order(model, start):
    queue = start(batch_rows=4)
    keep_busy(queue, model)
    asked = [("predict", "ab"), ("encode", "x"), ("predict", "c"), ("predict", "de")]
    futures = [queue.submit(kind, list(rows)) for kind, rows in asked]
    assert queue.rows == 6
    model.open.set()
    assert wait(futures, SECONDS).not_done == set()
    assert model.batches[1:] == [
        ("predict", ["a", "b", "c"]),  # with "de" there would be more than 4
        ("encode", ["x"]),
        ("predict", ["d", "e"]),
    ]


def test_others_take_turns_with_the_parts_of_a_request_larger_than_a_batch(
    model, start
):
    queue = start(batch_rows=2)
    keep_busy(queue, model)
    futures = [queue.submit("predict", list(rows)) for rows in ("bcdef", "g", "hi")]
    model.open.set()
    assert futures[0].result(SECONDS) == [("predict", row) for row in "bcdef"]
    assert wait(futures, SECONDS).not_done == set() and queue.rows == 0
    batches = [rows for _, rows in model.batches[1:]]
    assert batches == [["b", "c"], ["g"], ["h", "i"], ["d", "e"], ["f"]]


def test_a_batch_has_no_more_characters_than_its_bound_but_for_one_row(model):
    bounds = Bounds(batch_ms=0, batch_characters=5)
    queue = BatchQueue(model, bounds, count_characters=len)
    rows = ["ab", "cde", "f", "ghijklm", "n"]
    assert queue.submit("predict", rows).result(SECONDS)
    assert [rows for _, rows in model.batches] == [
        ["ab", "cde"],
        ["f"],
        ["ghijklm"],
        ["n"],
    ]
    model.batches.clear()
    keep_busy(queue, model)
    futures = [queue.submit("predict", [row]) for row in ("abc", "de", "f")]
    model.open.set()
    assert wait(futures, SECONDS).not_done == set()
    assert [rows for _, rows in model.batches[1:]] == [["abc", "de"], ["f"]]
    queue.close()


def test_others_are_answered_between_what_is_computed_alone(model, start):
    queue = start(alone=("explain",))
    keep_busy(queue, model)
    asked = [("explain", "a"), ("explain", "b"), ("predict", "x"), ("explain", "c")]
    futures = []
    for kind, row in asked:
        futures.append(queue.submit(kind, [row]))
        time.sleep(0.001)  # the clock tells which came first
    model.open.set()
    assert wait(futures, SECONDS).not_done == set()
    assert model.batches[1:] == [(kind, [row]) for kind, row in asked]


def test_a_queue_can_be_left_before_its_computation_ends(model, start):
    queue = start()
    future = keep_busy(queue, model)
    assert not queue.close(0.01) and not queue.is_open
    model.open.set()
    assert queue.close(SECONDS) and future.result(SECONDS)


def test_a_batch_waits_for_others_until_it_is_full(model, start):
    queue = start(batch_rows=3, batch_ms=1000 * SECONDS)
    make_crowd(queue, model)
    futures = [queue.submit("predict", [row]) for row in "abc"]
    assert wait(futures, SECONDS / 2).not_done == set()
    assert model.batches == [("predict", ["a", "b", "c"])]


def test_a_batch_does_not_wait_longer_than_its_bound(model, start):
    queue = start(batch_rows=3, batch_ms=50)
    make_crowd(queue, model)
    began = time.monotonic()
    queue.submit("predict", ["a"]).result(SECONDS)
    assert 0.05 <= time.monotonic() - began < SECONDS / 2


def test_who_asks_alone_waits_for_nobody(start):
    queue = start(batch_ms=1000 * SECONDS)
    for row in "abc":
        assert queue.submit("predict", [row]).result(SECONDS / 2)


def test_no_rows_have_no_answers(start):
    assert start().submit("predict", []).result(SECONDS) == []


def test_a_queue_that_is_closed_answers_what_waits_and_takes_no_more(model, start):
    queue = start(batch_ms=1000 * SECONDS)
    make_crowd(queue, model)
    model.begun.clear()
    model.open.clear()
    futures = [queue.submit(kind, ["a"]) for kind in ("predict", "encode", "explain")]
    closing = threading.Thread(target=queue.close)
    closing.start()
    assert model.begun.wait(SECONDS)  # it does not wait for a full batch any more
    with pytest.raises(QueueFull, match="^the service is stopping$"):
        queue.submit("predict", ["b"])
    assert closing.is_alive() and not queue.is_open
    model.open.set()
    closing.join(SECONDS)
    assert all(future.done() and future.result() for future in futures)
    queue.close()  # again


def test_the_rows_of_every_batch_are_told(model):
    told = []
    queue = BatchQueue(model, Bounds(batch_ms=0), told.append)
    queue.submit("predict", ["a", "b"]).result(SECONDS)
    queue.submit("encode", ["c"]).result(SECONDS)
    queue.close()
    assert told == [2, 1]

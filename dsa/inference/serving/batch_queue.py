"""A queue whose only thread computes the requests that wait together.

Knows neither HTTP nor Keras.
"""

import collections
import dataclasses
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import Any

from dsa.errors import BusyError
from dsa.inference.serving.bounds import Bounds


class QueueFull(BusyError):
    """The queue has no room, or a request has waited too long."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Request:
    kind: str
    rows: Sequence[Any]
    came: float  # by `time.monotonic`
    future: Future


class BatchQueue:
    """Answers requests in the order in which they came, those of a kind together.

    Args:
        compute: a function of a kind and a list of rows that returns an answer for each
            row. It is always called in the same thread.
        bounds: the `Bounds` of batches and of the queue; `None` for the usual ones.
        on_batch: a function that is called with the number of rows of every batch.
        alone: kinds whose requests are computed one by one, so that others are answered
            between them.

    Example:
        >>> queue = BatchQueue(lambda kind, rows: [row.upper() for row in rows])
        >>> queue.submit("predict", ["a", "b"]).result()
        ['A', 'B']
        >>> queue.close()
        True
    """

    def __init__(
        self,
        compute: Callable[[str, list[Any]], Sequence[Any]],
        bounds: Bounds | None = None,
        on_batch: Callable[[int], Any] = lambda rows: None,
        alone: Collection[str] = (),
    ):
        self.bounds = bounds or Bounds()
        self._alone = alone
        self._compute = compute
        self._on_batch = on_batch
        self._waiting: dict[str, collections.deque[_Request]] = {}  # by kind
        self.rows = 0  # that wait
        self._crowded = False  # whether the last batch had several requests
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether it takes requests."""
        return not self._closed and self._thread.is_alive()

    def submit(self, kind: str, rows: Sequence[Any]) -> Future:
        """Adds rows to the queue for a kind of computation, such as "predict".

        Returns: a `Future` of the list of answers. It has the exception instead if
            these rows make the computation fail, and `QueueFull` if they have waited
            too long. A future that is cancelled in time is not computed.

        Raises: `QueueFull` if too many rows wait already, or the queue is closed.
        """
        request = _Request(kind, rows, time.monotonic(), Future())
        with self._changed:
            if self._closed:
                raise QueueFull("the service is stopping")
            if self.rows + len(rows) > self.bounds.queue_rows:
                raise QueueFull(f"{self.rows:,} rows wait already: try again later")
            queue = self._waiting.setdefault(kind, collections.deque())
            queue.append(request)
            self.rows += len(rows)
            # otherwise the thread is awake, or waits for a full batch
            if len(queue) == 1 or self.rows >= self.bounds.batch_rows:
                self._changed.notify()
        return request.future

    def close(self, seconds: float | None = None) -> bool:
        """Answers the requests that wait, then ends; new ones are refused. Returns
        whether it has ended within some seconds; `None` for no bound."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self):
        while batch := self._take_batch():
            self._on_batch(sum(len(request.rows) for request in batch))
            self._answer(batch)

    def _take_batch(self):
        """The requests of the next batch, of one kind; none at the end."""
        batch = []
        while not batch:
            with self._changed:
                while not any(self._waiting.values()):
                    if self._closed:
                        return []
                    self._changed.wait()
                first = min(
                    (requests[0] for requests in self._waiting.values() if requests),
                    key=lambda request: request.came,
                )
                if first.kind not in self._alone:
                    self._wait_for_others(first.came)
                chosen = self._pop(self._waiting[first.kind])
            # without the lock: a future tells others that it is done
            batch = [request for request in chosen if self._is_wanted(request)]
        return batch

    def _wait_for_others(self, came):
        """Waits until a batch is full, or its first request has waited long enough.
        After a batch of one request it does not wait: there is only one client."""
        if not self._crowded:
            return
        until = came + self.bounds.batch_ms / 1000
        while self.rows < self.bounds.batch_rows and not self._closed:
            seconds = until - time.monotonic()
            if seconds <= 0:
                return
            self._changed.wait(seconds)

    def _pop(self, requests):
        """Takes the first requests of a kind, as many as fit into a batch."""
        chosen, rows = [], 0
        most = 0 if requests[0].kind in self._alone else self.bounds.batch_rows
        while requests:
            count = len(requests[0].rows)
            if chosen and rows + count > most:
                break
            chosen.append(requests.popleft())
            rows += count
        self.rows -= rows
        self._crowded = len(chosen) > 1
        return chosen

    def _is_wanted(self, request):
        """Whether a request is neither cancelled nor too old. One that has waited too
        long is refused."""
        if not request.future.set_running_or_notify_cancel():
            return False
        if time.monotonic() - request.came <= self.bounds.queue_ms / 1000:
            return True
        reason = f"waited for more than {self.bounds.queue_ms:g} ms: try again later"
        request.future.set_exception(QueueFull(reason))
        return False

    def _answer(self, requests):
        """Computes requests together. If that fails, each half is computed by itself,
        until those that fail are found: the others get their answers."""
        rows = [row for request in requests for row in request.rows]
        try:
            answers = self._compute(requests[0].kind, rows)
            if len(answers) != len(rows):
                raise RuntimeError(f"{len(answers)} answers to {len(rows)} rows")
        except Exception as error:
            if len(requests) == 1:
                requests[0].future.set_exception(error)
            else:
                middle = len(requests) // 2
                self._answer(requests[:middle])
                self._answer(requests[middle:])
            return
        for request in requests:
            count = len(request.rows)
            request.future.set_result(answers[:count])
            answers = answers[count:]

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


@dataclasses.dataclass(eq=False)
class _Request:
    kind: str
    parts: collections.deque[list[Any]]  # its rows that are not computed yet
    came: float  # by `time.monotonic`
    turn: float  # since when its next part waits
    future: Future
    answers: list[Any] = dataclasses.field(default_factory=list)


class BatchQueue:
    """Answers requests in the order in which they came, those of a kind together. A
    request that is larger than a batch is cut, and others take turns with its parts.

    Args:
        compute: a function of a kind and a list of rows that returns an answer for each
            row. It is always called in the same thread.
        bounds: the `Bounds` of batches and of the queue; `None` for the usual ones.
        on_batch: a function that is called with the number of rows of every batch.
        alone: kinds whose requests are computed one by one, so that others are answered
            between them.
        count_characters: a function of a row to the number of its characters.

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
        count_characters: Callable[[Any], int] = lambda row: 0,
    ):
        self.bounds = bounds or Bounds()
        self._alone = alone
        self._compute = compute
        self._on_batch = on_batch
        self._count_characters = count_characters
        self._waiting: dict[str, collections.deque[_Request]] = {}  # by kind
        self.rows = 0  # that wait
        self._full = False  # from a refusal until a full request has room
        self._crowded = False  # whether the last batch had several requests
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether it takes requests."""
        return not self._closed and self._thread.is_alive()

    def check_room(self) -> None:
        """Raises `QueueFull` from a refusal until there is room for a full request, so
        that a request can be refused before it is read."""
        with self._changed:
            if self.rows + self.bounds.request_rows <= self.bounds.queue_rows:
                self._full = False
            if self._full:
                raise self._refuse_full()

    def _refuse_full(self):
        return QueueFull(f"{self.rows:,} rows wait already: try again later")

    def submit(self, kind: str, rows: Sequence[Any]) -> Future:
        """Adds rows to the queue for a kind of computation, such as "predict".

        Returns: a `Future` of the list of answers. It has the exception instead if
            these rows make the computation fail, and `QueueFull` if they have waited
            too long. A future that is cancelled in time is not computed.

        Raises: `QueueFull` if too many rows wait already, or the queue is closed.
        """
        now = time.monotonic()
        request = _Request(kind, self._cut(rows), now, now, Future())
        with self._changed:
            if self._closed:
                raise QueueFull("the service is stopping")
            if self.rows + len(rows) > self.bounds.queue_rows:
                self._full = True
                raise self._refuse_full()
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

    def _cut(self, rows):
        """The rows of a request in parts, each of which fits into a batch; a row of
        more characters than a batch is a part."""
        parts, characters = collections.deque([[]]), 0
        for row in rows:
            count = self._count_characters(row)
            characters += count
            too_many = characters > self.bounds.batch_characters
            if parts[-1] and (too_many or len(parts[-1]) == self.bounds.batch_rows):
                parts.append([])
                characters = count
            parts[-1].append(row)
        return parts

    def _work(self):
        while batch := self._take_batch():
            self._on_batch(sum(len(part) for _, part in batch))
            self._answer(batch)

    def _take_batch(self):
        """The next batch: requests of one kind, each with a part; none at the end."""
        batch = []
        while not batch:
            with self._changed:
                while not any(self._waiting.values()):
                    if self._closed:
                        return []
                    self._changed.wait()
                first = min(
                    (requests[0] for requests in self._waiting.values() if requests),
                    key=lambda request: request.turn,
                )
                if first.kind not in self._alone:
                    self._wait_for_others(first.turn)
                chosen = self._pop(self._waiting[first.kind])
            # without the lock: a future tells others that it is done
            batch = [
                (request, part) for request, part in chosen if self._begin(request)
            ]
        return batch

    def _wait_for_others(self, turn):
        """Waits until a batch is full, or its first request has waited long enough.
        After a batch of one request it does not wait: there is only one client."""
        if not self._crowded:
            return
        until = turn + self.bounds.batch_ms / 1000
        while self.rows < self.bounds.batch_rows and not self._closed:
            seconds = until - time.monotonic()
            if seconds <= 0:
                return
            self._changed.wait(seconds)

    def _pop(self, requests):
        """Takes the first requests of a kind, each with its next part, as many as fit
        into a batch."""
        chosen, rows, characters = [], 0, 0
        most = 0 if requests[0].kind in self._alone else self.bounds.batch_rows
        while requests:
            part = requests[0].parts[0]
            rows += len(part)
            characters += sum(map(self._count_characters, part))
            too_many = rows > most or characters > self.bounds.batch_characters
            if chosen and too_many:
                break
            chosen.append((requests.popleft(), part))
            chosen[-1][0].parts.popleft()
            self.rows -= len(part)
        self._crowded = len(chosen) > 1
        return chosen

    def _begin(self, request):
        """Whether a request is neither cancelled nor too old. One that has waited too
        long is refused."""
        if request.future.running():  # a part of it is computed already
            return True
        if request.future.set_running_or_notify_cancel():
            if time.monotonic() - request.came <= self.bounds.queue_ms / 1000:
                return True
            reason = f"waited for more than {self.bounds.queue_ms:g} ms"
            request.future.set_exception(QueueFull(f"{reason}: try again later"))
        self._drop(request)
        return False

    def _drop(self, request):
        """Forgets the parts of a request that are not computed."""
        with self._changed:
            self.rows -= sum(map(len, request.parts))
        request.parts.clear()

    def _answer(self, batch):
        """Computes parts of requests together. If that fails, each half is computed by
        itself, until those that fail are found: the others get their answers."""
        rows = [row for _, part in batch for row in part]
        try:
            answers = self._compute(batch[0][0].kind, rows)
            if len(answers) != len(rows):
                raise RuntimeError(f"{len(answers)} answers to {len(rows)} rows")
        except Exception as error:
            if len(batch) == 1:
                ((request, _),) = batch
                self._drop(request)
                request.future.set_exception(error)
            else:
                middle = len(batch) // 2
                self._answer(batch[:middle])
                self._answer(batch[middle:])
            return
        for request, part in batch:
            request.answers += answers[: len(part)]
            answers = answers[len(part) :]
            if request.parts:
                self._wait_again(request)
            else:
                request.future.set_result(request.answers)

    def _wait_again(self, request):
        """Puts a request behind the others of its kind, for its next part."""
        with self._changed:
            request.turn = time.monotonic()
            self._waiting[request.kind].append(request)

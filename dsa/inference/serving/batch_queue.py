"""Micro-batching of concurrent requests."""

import asyncio
import collections
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from dsa.errors import BusyError
from dsa.inference.serving.limits import Limits

UNBATCHED = ("explain",)  # kinds of requests that are computed one at a time


class QueueFullError(BusyError):
    """Raised if too many rows are waiting."""


class _Request(NamedTuple):
    kind: str
    rows: Sequence[Any]
    future: asyncio.Future


class BatchQueue:
    """First-in, first-out queue that merges consecutive requests of the same kind.

    Requests that arrive during the computation of a batch form the next batch, up to
    `batch_rows` rows. A larger request forms a separate batch. If the previous batch
    had several requests, the next batch waits `batch_ms` for more requests, so that a
    single client does not wait.

    Args:
        compute: function that maps a kind of request and a list of rows to one result
            per row. It is always called in the same thread.
        limits: the `Limits` of a batch and of the queue.
        on_batch: function that is called with the number of rows of each batch.

    Example:
        >>> def compute(kind, rows):
        ...     return [row.upper() for row in rows]
        >>> queue = BatchQueue(compute, Limits())
        >>> asyncio.run(queue.submit("predict", ["a", "b"]))
        ['A', 'B']
    """

    def __init__(
        self,
        compute: Callable[[str, Sequence[Any]], Sequence[Any]],
        limits: Limits,
        on_batch: Callable[[int], object] = lambda rows: None,
    ):
        self.limits = limits
        self.waiting_rows = 0
        self._compute = compute
        self._on_batch = on_batch
        self._requests: collections.deque[_Request] = collections.deque()
        self._worker: asyncio.Task | None = None
        self._last_batch_size = 1  # number of requests
        self._thread = ThreadPoolExecutor(1, "model")

    async def submit(self, kind: str, rows: Sequence[Any]) -> list[Any]:
        """Adds a request to the queue, and waits for its results.

        Args:
            kind: kind of request.
            rows: the rows. An empty queue accepts any number of rows.

        Returns: a list with one result per row.

        Raises: `QueueFullError` if too many rows are waiting. Exceptions raised by
            `compute` are passed on.
        """
        waiting = self.waiting_rows
        if waiting and waiting + len(rows) > self.limits.queue_rows:
            raise QueueFullError(
                f"the queue is full: {waiting:,} rows are waiting. Try again later"
            )
        future = asyncio.get_running_loop().create_future()
        self._requests.append(_Request(kind, rows, future))
        self.waiting_rows += len(rows)
        if self._worker is None:
            self._worker = asyncio.create_task(self._compute_batches())
        return await future

    async def _compute_batches(self):
        """Computes batches until the queue is empty."""
        while self._requests:
            if self._last_batch_size > 1 and self.waiting_rows < self.limits.batch_rows:
                await asyncio.sleep(self.limits.batch_ms / 1000)
            batch = self._pop_batch()
            self._last_batch_size = len(batch)
            self._on_batch(sum(len(request.rows) for request in batch))
            await self._compute_batch(batch)
        self._worker = None

    def _pop_batch(self):
        """Removes and returns the requests of the next batch."""
        batch = [self._requests.popleft()]
        kind = batch[0].kind
        count = len(batch[0].rows)
        while self._requests and kind not in UNBATCHED:
            count += len(self._requests[0].rows)
            if self._requests[0].kind != kind or count > self.limits.batch_rows:
                break
            batch.append(self._requests.popleft())
        self.waiting_rows -= sum(len(request.rows) for request in batch)
        return batch

    async def _compute_batch(self, batch):
        """Computes requests in one call.

        If the call fails, the requests are computed one by one, so that an exception
        is only raised for the request that caused it.
        """
        rows = [row for request in batch for row in request.rows]
        try:
            results = await asyncio.get_running_loop().run_in_executor(
                self._thread, self._compute, batch[0].kind, rows
            )
        except Exception as error:
            if len(batch) > 1:
                for request in batch:
                    await self._compute_batch([request])
            elif not batch[0].future.done():
                batch[0].future.set_exception(error)
            return
        for request in batch:
            if not request.future.done():  # not cancelled
                request.future.set_result(results[: len(request.rows)])
            results = results[len(request.rows) :]

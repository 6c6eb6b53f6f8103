"""A model of the service that is a function, and waits where a test wants it to."""

import threading

SECONDS = 60  # of the longest wait


class FakeModel:
    """Answers a row with its kind and itself, and notes what is computed together.

    Attributes:
        batches: pairs of a kind and rows.
        open: while it is not set, a computation does not end.
    """

    def __init__(self):
        self.batches = []
        self.open = threading.Event()
        self.open.set()
        self.begun = threading.Event()

    def __call__(self, kind, rows):
        self.batches.append((kind, rows))
        self.begun.set()
        assert self.open.wait(SECONDS)
        for row in rows:
            if isinstance(row, Exception):
                raise row
        return [(kind, row) for row in rows]


def keep_busy(queue, model):
    """Begin a computation that does not end; returns its future."""
    model.open.clear()
    model.begun.clear()
    future = queue.submit("predict", ["first"])
    assert model.begun.wait(SECONDS)
    return future

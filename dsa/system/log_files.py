"""What the package logs, in files."""

import contextlib
import logging
import logging.handlers
import sys

from dsa.system.control_characters import escape_controls


@contextlib.contextmanager
def logging_to(path, held=False):
    """Append to a file, inside the context, what the package logs from INFO on.

    Everything is as before at the end, so any number of runs of one process have a log
    each.

    Args:
        path: the file.
        held: keep the lines until `release_held_lines`, or until the context ends well.
            If it ends with an error before that, the file stays as it was.
    """
    log = logging.getLogger("dsa")
    level = log.level
    handler = with_times(
        logging.FileHandler(
            path, encoding="utf-8", errors="backslashreplace", delay=held
        )
    )
    handler = _HeldLines(handler) if held else handler
    log.addHandler(handler)
    if not log.isEnabledFor(logging.INFO):
        log.setLevel(logging.INFO)
    try:
        yield
        if held:
            handler.write_from_now_on()
    finally:
        log.setLevel(level)
        log.removeHandler(handler)
        handler.close()


def release_held_lines():
    """Write what `logging_to` has held so far, and from now on every line at once."""
    for handler in logging.getLogger("dsa").handlers:
        if isinstance(handler, _HeldLines):
            handler.write_from_now_on()


def with_times(handler):
    """The same handler; each of its lines begins with the time."""
    handler.setFormatter(_EscapedLines("%(asctime)s %(message)s", "%H:%M:%S"))
    return handler


class _EscapedLines(logging.Formatter):
    """Log lines without control characters: a log is read on a terminal too."""

    def format(self, record):
        return escape_controls(super().format(record))


class _HeldLines(logging.handlers.MemoryHandler):
    """Hands lines to another handler once they are released."""

    def __init__(self, handler):
        super().__init__(sys.maxsize, target=handler, flushOnClose=False)
        self._released = False

    def shouldFlush(self, record):  # noqa: N802 (of the standard library)
        return self._released

    def write_from_now_on(self):
        self._released = True
        self.flush()

    def close(self):
        target = self.target
        super().close()  # forgets it
        target.close()

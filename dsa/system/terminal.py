"""What a user sees: texts on a terminal, bars of progress, and the log.

Control characters of a user's files do nothing there: they are written out.
"""

import contextlib
import logging
import logging.handlers
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TextIO, TypeVar

from dsa.system.atomic_files import name_errors

SECONDS_BETWEEN_LOOKS = 0.1
SECONDS_BETWEEN_LINES = 30
# C0 and C1 controls but tab and line feed, marks that turn the direction of text, and
# halves of characters, which no terminal can print
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)
Item = TypeVar("Item")
log = logging.getLogger(__name__)


def escape_controls(text: str) -> str:
    r"""A text with its control characters written out, as Python writes them.

    A terminal would obey them: clear the screen, colour what follows, hide a line. Line
    ends and tabs stay.

    Example:
        >>> print(escape_controls("a key \x1b[2J"))
        a key \x1b[2J
    """
    return CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def show(text: object, stream: TextIO | None = None) -> None:
    """Prints a text that may hold words of a user's files, such as keys and names.

    Control characters are escaped; bars of progress stay whole.

    Args:
        text: the text, without line end.
        stream: where; `None` for standard output.
    """
    text, stream = escape_controls(str(text)), stream or sys.stdout
    if "tqdm" in sys.modules:  # else there is no bar
        from tqdm import tqdm

        tqdm.write(text, stream)
    else:
        print(text, file=stream)


def announce(what: str) -> None:
    """Says on a terminal what begins now and can take some seconds."""
    if sys.stderr is not None and sys.stderr.isatty():
        show(f"{what} ...", sys.stderr)
        sys.stderr.flush()


def has_bars() -> bool:
    """Returns whether progress is a bar on standard error: on a terminal, unless it
    says that it has no width, as those of some CI systems and editors do."""
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns > 0
    except (OSError, ValueError):  # it does not say: a bar of a fixed width is drawn
        return True


def show_progress(
    items: Iterable[Item],
    what: str,
    total: int | None = None,
    position: Callable[[], int] | None = None,
) -> Iterator[Item]:
    """Yields the same items. If they take longer, it shows how far they are:
    on a terminal a bar after 2 s, elsewhere a line in the log every 30 s.

    Args:
        items: an iterable.
        what: is done with them, such as "encoding".
        total: their number, if it is known.
        position: for the lines of a file, a function without arguments that gives the
            bytes read so far; then `total` is in bytes too.
    """
    from tqdm import tqdm

    size = {"unit": "B", "unit_scale": True} if position else {}
    with tqdm(
        total=total, desc=what, leave=False, delay=2, disable=not has_bars(), **size
    ) as bar:
        looked = line = monotonic()
        reached = 0
        for count, item in enumerate(items, start=1):
            yield item
            now = monotonic()
            if now - looked < SECONDS_BETWEEN_LOOKS:
                continue
            looked, before = now, reached
            reached = position() if position else count
            bar.update(reached - before)
            if bar.disable and now - line > SECONDS_BETWEEN_LINES:
                line = now
                log.info("%s: %s", what, _describe_progress(reached, total, position))


def _describe_progress(reached, total, position):
    if not total:
        return f"{reached:,}"
    share = f"{100 * reached / total:.0f} %"
    return share if position else f"{reached:,} of {total:,} ({share})"


def log_to_stream(stream: TextIO) -> None:
    """Logs to a stream, instead of that of an earlier command in this process."""
    log = logging.getLogger("dsa")
    log.setLevel(logging.INFO)
    log.propagate = False
    for earlier in [h for h in log.handlers if type(h) is _LinesOnStream]:
        log.removeHandler(earlier)
        earlier.close()
    log.addHandler(with_times(_LinesOnStream(stream)))


class _LinesOnStream(logging.StreamHandler):
    """Log lines that leave bars of progress whole."""

    def emit(self, record):
        try:
            show(self.format(record), self.stream)
            self.flush()  # to a pipe, too, such as that of `tee`
        except Exception:
            self.handleError(record)


@contextlib.contextmanager
def logging_to(path: str | os.PathLike[str], held: bool = False) -> Iterator[None]:
    """Appends to a file, inside the context, what the package logs from INFO on.

    Everything is as before at the end, so any number of runs of one process have a log
    each.

    Args:
        held: keep the lines until `release_held_lines`. Without it the file stays as it
            was.
    """
    log = logging.getLogger("dsa")
    level = log.level
    file = _LogFile(path, encoding="utf-8", errors="backslashreplace", delay=held)
    handler = _HeldLines(with_times(file)) if held else with_times(file)
    log.addHandler(handler)
    if not log.isEnabledFor(logging.INFO):
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(handler)
        handler.close()


def release_held_lines() -> None:
    """Writes what `logging_to` has held so far, and from now on every line at once."""
    for handler in logging.getLogger("dsa").handlers:
        if isinstance(handler, _HeldLines):
            handler.write_from_now_on()


def with_times(handler: logging.Handler) -> logging.Handler:
    """Returns the handler; each of its lines now begins with the time."""
    handler.setFormatter(_EscapedLines("%(asctime)s %(message)s", "%H:%M:%S"))
    return handler


class _EscapedLines(logging.Formatter):
    """Log lines without control characters: a log is read on a terminal too."""

    def format(self, record):
        return escape_controls(super().format(record))


class _LogFile(logging.FileHandler):
    """A log file. Where the disk is full or fails, the error ends the work, whose other
    files could not be written either, and names the file."""

    def handleError(self, record):  # noqa: N802 (of the standard library)
        with name_errors(self.baseFilename):
            raise

    def close(self):
        with name_errors(self.baseFilename):
            super().close()


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
        if target is not None:
            target.close()

"""Output to a terminal: text, progress bars and the log.

Control characters in texts are escaped.
"""

import contextlib
import logging
import logging.handlers
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Any, TextIO, TypeVar

from dsa.system.atomic_files import name_errors

SECONDS_BETWEEN_UPDATES = 0.1
SECONDS_BETWEEN_LINES = 30
# C0 and C1 controls except tab and line feed, bidirectional controls, and surrogates,
# which no terminal can print
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)
Item = TypeVar("Item")
log = logging.getLogger(__name__)


def escape_controls(text: str) -> str:
    r"""Escapes control characters, which could clear the terminal or hide a line.

    Line feeds and tabs are kept.

    Example:
        >>> print(escape_controls("a key \x1b[2J"))
        a key \x1b[2J
    """
    return CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def show(text: object, stream: TextIO | None = None) -> None:
    """Prints a text above the progress bars. Control characters are escaped.

    Args:
        text: the text, without a trailing newline.
        stream: output stream; `None` for standard output.
    """
    text = escape_controls(str(text))
    if stream is None:
        stream = sys.stdout
    if "tqdm" in sys.modules:  # otherwise, there are no progress bars
        from tqdm import tqdm

        tqdm.write(text, stream)
    else:
        print(text, file=stream)


def announce(task: str) -> None:
    """Prints the name of a slow task if standard error is a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        show(f"{task} ...", sys.stderr)
        sys.stderr.flush()


def is_notebook() -> bool:
    """Returns whether the code runs in a Jupyter or Colab notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def log_to_notebook() -> None:
    """Prints the log in a notebook, unless it has log handlers."""
    handlers = logging.getLogger("dsa").handlers + logging.getLogger().handlers
    if is_notebook() and not handlers:
        log_to_stream(sys.stdout)


def import_bar() -> Any:
    """Returns the progress bar class of tqdm.

    In a notebook, this is a widget if ipywidgets is installed.
    """
    if not is_notebook():
        from tqdm import tqdm

        return tqdm
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing ipywidgets
        from tqdm.auto import tqdm
    return tqdm


def can_show_bars() -> bool:
    """Returns whether the output is a notebook, or a terminal that can show bars.

    Some terminals of CI systems and editors cannot: they report a width of 0.
    """
    if is_notebook():
        return True
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns > 0
    except (OSError, ValueError):  # unknown width, for which tqdm has a default
        return True


def show_progress(
    items: Iterable[Item],
    task: str,
    total: int | None = None,
    position: Callable[[], int] | None = None,
) -> Iterator[Item]:
    """Yields items and shows the progress.

    A terminal shows a progress bar after 2 seconds. Otherwise, a line is logged every
    30 seconds.

    Args:
        items: an iterable.
        task: description of the task, such as "encoding".
        total: number of items, or of bytes with `position`; `None` if it is unknown.
        position: function that returns the number of bytes read so far, for items that
            are read from a file.
    """
    size = {"unit": "B", "unit_scale": True} if position else {}
    make_bar = import_bar()
    with make_bar(
        total=total,
        desc=task,
        leave=False,
        delay=2,
        disable=not can_show_bars(),
        **size,
    ) as bar:
        last_update = last_line = monotonic()
        progress = 0
        for count, item in enumerate(items, start=1):
            yield item
            now = monotonic()
            if now - last_update < SECONDS_BETWEEN_UPDATES:
                continue
            last_update, previous = now, progress
            progress = position() if position else count
            bar.update(progress - previous)
            if bar.disable and now - last_line > SECONDS_BETWEEN_LINES:
                last_line = now
                log.info("%s: %s", task, _describe_progress(progress, total, position))


def _describe_progress(progress, total, position):
    if not total:
        return f"{progress:,}"
    percentage = f"{100 * progress / total:.0f} %"
    return percentage if position else f"{progress:,} of {total:,} ({percentage})"


def log_to_stream(stream: TextIO) -> None:
    """Logs to a stream. The stream of an earlier call is removed."""
    package_log = logging.getLogger("dsa")
    package_log.setLevel(logging.INFO)
    package_log.propagate = False
    for handler in list(package_log.handlers):
        if type(handler) is _LinesOnStream:
            package_log.removeHandler(handler)
            handler.close()
    package_log.addHandler(add_times(_LinesOnStream(stream)))


class _LinesOnStream(logging.StreamHandler):
    """Prints log lines above progress bars."""

    def emit(self, record):
        try:
            show(self.format(record), self.stream)
            self.flush()  # also for pipes, such as `tee`
        except BrokenPipeError:  # ends the command
            raise
        except Exception:
            self.handleError(record)


@contextlib.contextmanager
def logging_to(path: str | os.PathLike[str], buffered: bool = False) -> Iterator[None]:
    """Appends log lines of the package to a file inside the context.

    Lines of level INFO and above are logged.

    Args:
        path: path of the file.
        buffered: whether to buffer the lines until `release_buffered_lines` is called.
            Without this call, the lines are discarded and the file is not changed.
    """
    package_log = logging.getLogger("dsa")
    level = package_log.level
    file = _LogFile(path, encoding="utf-8", errors="backslashreplace", delay=buffered)
    handler = _BufferedLines(add_times(file)) if buffered else add_times(file)
    package_log.addHandler(handler)
    if not package_log.isEnabledFor(logging.INFO):
        package_log.setLevel(logging.INFO)
    try:
        yield
    finally:
        package_log.setLevel(level)
        package_log.removeHandler(handler)
        handler.close()


def release_buffered_lines() -> None:
    """Writes the buffered lines of `logging_to`, and later lines immediately."""
    for handler in logging.getLogger("dsa").handlers:
        if isinstance(handler, _BufferedLines):
            handler.release_lines()


def add_times(handler: logging.Handler) -> logging.Handler:
    """Adds the time to the lines of a handler, and returns the handler."""
    handler.setFormatter(_EscapedLines("%(asctime)s %(message)s", "%H:%M:%S"))
    return handler


class _EscapedLines(logging.Formatter):
    """Formats log lines with escaped control characters."""

    def format(self, record):
        return escape_controls(super().format(record))


class _LogFile(logging.FileHandler):
    """Log file that raises disk errors, with the name of the file."""

    def handleError(self, record):  # noqa: N802 (name in the standard library)
        with name_errors(self.baseFilename):
            raise

    def close(self):
        with name_errors(self.baseFilename):
            super().close()


class _BufferedLines(logging.handlers.MemoryHandler):
    """Buffers lines until they are released to another handler."""

    def __init__(self, handler):
        super().__init__(sys.maxsize, target=handler, flushOnClose=False)
        self._released = False

    def shouldFlush(self, record):  # noqa: N802 (name in the standard library)
        return self._released

    def release_lines(self):
        self._released = True
        self.flush()

    def close(self):
        target = self.target
        super().close()  # sets `self.target` to `None`
        if target is not None:
            target.close()

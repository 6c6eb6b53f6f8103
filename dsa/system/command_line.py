"""Functions shared by all commands: exit codes, Ctrl-C, errors, argument types."""

import argparse
import contextlib
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from dsa.errors import BROKEN_PIPE_CODE, INTERRUPTED_CODE, InputError
from dsa.parsing import parse_integer, parse_number, shorten
from dsa.system.terminal import escape_controls, log_to_stream, show

INTERRUPTED_MESSAGE = "interrupted"
MAX_LINE_LENGTH = 1500  # characters of an error line


def command(
    main: Callable[[Any], object] | None = None, *, log_to_stderr: bool = False
) -> Callable[..., Any]:
    """Decorates `main(arguments=None)` of a script to return an exit code.

    Exit codes:

    - 0: success
    - 2: invalid files or arguments, disk errors, or not enough memory; each error is
      printed as one line on standard error
    - 75: another process is writing to the folder
    - 130: Ctrl-C
    - 141 (SIGPIPE): the reader of the output, such as `head`, has ended

    Args:
        main: the function; `None` if the decorator is called with other arguments.
        log_to_stderr: whether to log to standard error, for commands whose standard
            output is read by programs.
    """
    if main is None:
        return functools.partial(command, log_to_stderr=log_to_stderr)

    @functools.wraps(main)
    def run(arguments: list[str] | None = None) -> int:
        open_closed_streams()
        output: Any = sys.stdout
        if hasattr(output, "reconfigure"):  # prints file names that are not UTF-8
            output.reconfigure(errors="backslashreplace")
        log_to_stream(sys.stderr if log_to_stderr else sys.stdout)
        failure = None
        with interruptible() as interrupt:
            try:
                main(arguments)
                sys.stdout.flush()
            except (InputError, MemoryError, OSError) as error:
                failure = error
            except BaseException as error:
                if not (interrupt.pressed or isinstance(error, KeyboardInterrupt)):
                    raise
                interrupt.pressed = True
        if interrupt.pressed:
            print(INTERRUPTED_MESSAGE, file=sys.stderr)
            return INTERRUPTED_CODE
        return 0 if failure is None else _report(failure)

    return run


class Interrupt:
    """State of an interruption. `pressed` is whether Ctrl-C was pressed."""

    pressed = False


@contextlib.contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Raises `KeyboardInterrupt` after Ctrl-C; a second Ctrl-C ends the process.

    Some libraries catch `KeyboardInterrupt` or convert it to another exception, so the
    yielded object records it. A signal handler of the caller is not replaced.

    Yields: an `Interrupt`.
    """
    interrupt = Interrupt()
    is_main_thread = threading.current_thread() is threading.main_thread()
    if (
        not is_main_thread
        or signal.getsignal(signal.SIGINT) != signal.default_int_handler
    ):
        yield interrupt
        return

    def handle(*_):
        interrupt.pressed = True
        # the next Ctrl-C ends the process even while a library computes, which is safe
        # because files are written atomically
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def bounded(
    parse: Callable[[str], float], minimum: float, maximum: float
) -> Callable[[str], Any]:
    """Returns an `argparse` type for numbers within bounds.

    Args:
        parse: function that parses a string and raises `ValueError` if it is invalid.
        minimum: smallest accepted number.
        maximum: largest accepted number.
    """

    def read(text):
        try:
            number = parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        if not minimum <= number <= maximum:
            raise argparse.ArgumentTypeError(
                f"expected a number from {minimum} to {maximum}. Received: "
                f"{shorten(text)}"
            )
        return number

    return read


seed_number = bounded(parse_integer, 0, 2**32 - 1)
port_number = bounded(parse_integer, 0, 2**16 - 1)  # 0 selects a free port
count_number = bounded(parse_integer, 1, 10**9)
wait_number = bounded(parse_number, 0, 10**9)  # milliseconds
token_count = bounded(parse_number, 0, 10**9)  # an average can be a fraction


def _report(error):
    """Prints an error on standard error, and returns the exit code."""
    if isinstance(error, BrokenPipeError):
        discard_output()
        return BROKEN_PIPE_CODE
    if isinstance(error, InputError):
        lines = [
            _shorten_line(escape_controls(line)) for line in str(error).split("\n")
        ]
    elif isinstance(error, MemoryError):
        lines = [f"not enough memory: {error}"]
    else:
        prefix = f"{error.filename}: " if error.filename else ""
        lines = [f"{prefix}{error.strerror or error}"]
    for line in lines:
        show(f"error: {line}", sys.stderr)
    return error.exit_code if isinstance(error, InputError) else 2


def open_closed_streams() -> None:
    """Opens standard output and standard error if they are closed (`>&-`).

    Their output is discarded. Libraries write to both, and another file that is opened
    later could get the same file descriptor.
    """
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_WRONLY)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)
            stream = open(descriptor, "w", encoding="utf-8", errors="backslashreplace")
            setattr(sys, name, stream)


def discard_output() -> None:
    """Discards further output to standard streams whose reader has ended."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _shorten_line(line):
    """Shortens a long line in the middle. A damaged file can contain a name of any
    length."""
    if len(line) <= MAX_LINE_LENGTH:
        return line
    start_length, end_length = MAX_LINE_LENGTH * 2 // 3, MAX_LINE_LENGTH // 6
    start, end = line[:start_length], line[-end_length:]
    return f"{start}... ({len(line):,} letters) ...{end}"

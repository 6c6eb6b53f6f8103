"""Shared parts of commands: exit codes, one-line errors, types of numbers."""

import argparse
import functools
import os
import sys
from collections.abc import Callable
from typing import Any

from dsa.config_section import parse_number, parse_whole_number, shorten
from dsa.errors import InputError
from dsa.system.interrupts import EXIT_CODE, MESSAGE, interruptible
from dsa.system.terminal import escape_controls, log_to_stream, show

BROKEN_PIPE = 128 + 13  # exit code after the signal SIGPIPE
LONGEST_LINE = 1500  # characters of an error line


def command(
    main: Callable[[Any], object] | None = None, *, log_to_stderr: bool = False
) -> Callable[..., Any]:
    """Decorates `main(arguments=None)` of a script to return an exit code.

    The exit code is 0 for success; 2 for mistakes in files or arguments, disk errors
    and too little memory, with one line per mistake on standard error; 75 if another
    process writes into the folder; 130 after Ctrl-C; 141 if the reader of the output
    ends, such as `head`, as for other programs that a closed pipe ends.

    Args:
        main: the function; omitted if the decorator has other arguments.
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
            print(MESSAGE, file=sys.stderr)
            return EXIT_CODE
        return 0 if failure is None else _report(failure)

    return run


def bounded(
    parse: Callable[[str], float], least: float, most: float
) -> Callable[[str], Any]:
    """Returns a function that reads a number within bounds, for `argparse`."""

    def read(text):
        try:
            number = parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"from {least} to {most}. Received: {shorten(text)}"
            )
        return number

    return read


seed_number = bounded(parse_whole_number, 0, 2**32 - 1)
port_number = bounded(parse_whole_number, 0, 2**16 - 1)  # 0 selects a free port
count_number = bounded(parse_whole_number, 1, 10**9)
wait_number = bounded(parse_number, 0, 10**9)  # milliseconds
token_count = bounded(parse_number, 0, 10**9)  # an average can be a fraction


def _report(error):
    """Prints the lines of an error; returns the exit code."""
    if isinstance(error, BrokenPipeError):
        discard_output()
        return BROKEN_PIPE
    if isinstance(error, InputError):
        lines = [
            _shorten_line(escape_controls(line)) for line in str(error).split("\n")
        ]
    elif isinstance(error, MemoryError):
        lines = [f"not enough memory: {error}"]
    else:
        place = f"{error.filename}: " if error.filename else ""
        lines = [f"{place}{error.strerror or error}"]
    for line in lines:
        show(f"error: {line}", sys.stderr)
    return error.exit_code if isinstance(error, InputError) else 2


def open_closed_streams() -> None:
    """Opens standard output and standard error if they are closed (`>&-`); their
    output is discarded. Libraries write to both, and another file could get their
    number."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_WRONLY)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            stream = open(number, "w", encoding="utf-8", errors="backslashreplace")
            setattr(sys, name, stream)


def discard_output() -> None:
    """Discards further output to streams whose reader has ended."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _shorten_line(line):
    """Shortens the middle of a long line: a damaged file can contain a name of any
    length."""
    if len(line) <= LONGEST_LINE:
        return line
    begin, end = LONGEST_LINE * 2 // 3, LONGEST_LINE // 6
    return f"{line[:begin]}... ({len(line):,} letters) ...{line[-end:]}"

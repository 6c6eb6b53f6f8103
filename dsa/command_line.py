"""What all commands share: errors as one line each, and logging."""

import argparse
import contextlib
import functools
import logging
import os
import sys

from dsa.errors import InputError
from dsa.plain_numbers import parse_number, parse_whole_number, shorten


def command(main=None, *, log_to_stderr=False):
    """Make a script's `main(arguments=None)` return its exit code.

    0 for success; 2 for mistakes in the user's files or arguments, for a failing disk
    or too little memory, with one line for each mistake on standard error; 130 after
    Ctrl-C.

    Args:
        main: the function; it may be left out where the others are given.
        log_to_stderr: log to standard error. For commands whose standard output is
            read by a program.
    """
    if main is None:
        return functools.partial(command, log_to_stderr=log_to_stderr)

    @functools.wraps(main)
    def run(arguments=None):
        _escape_what_is_no_unicode(sys.stdout)
        _log_to_stream(sys.stderr if log_to_stderr else sys.stdout)
        try:
            main(arguments)
        except InputError as error:
            for line in str(error).split("\n"):
                print(f"error: {line}", file=sys.stderr)
            return 2
        except MemoryError as error:
            print(f"error: not enough memory: {error}", file=sys.stderr)
            return 2
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            print(f"error: {place}{error.strerror or error}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return 130
        return 0

    return run


def _escape_what_is_no_unicode(stream):
    """Let a stream write file names that are no UTF-8, as standard error does."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def seed_number(text):
    """A seed of the command line, for `argparse`: a whole number below 2^32."""
    return _read_argument(parse_whole_number, text, 0, 2**32 - 1)


def port_number(text):
    """A port of the command line, for `argparse`; 0 is a free one."""
    return _read_argument(parse_whole_number, text, 0, 2**16 - 1)


def token_count(text):
    """A number of tokens of the command line, for `argparse`; it can be a fraction."""
    return _read_argument(parse_number, text, 0, 10**9)


def _read_argument(parse, text, least, most):
    """A number as `parse` reads it, within bounds. `argparse` writes the error."""
    try:
        number = parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(
            f"from {least} to {most}. Received: {shorten(text)}"
        )
    return number


def announce(what):
    """Say on a terminal what begins now and can take some seconds."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"{what} ...", file=sys.stderr, flush=True)


def show_progress(items, what, total=None):
    """An iterator over the same items; on a terminal with a bar, if they take over 2 s.

    Args:
        items: an iterable.
        what: is done with them, such as "encoding".
        total: their number, if it is known.
    """
    from tqdm import tqdm

    # disable=None: no bar where standard error is no terminal
    return iter(tqdm(items, what, total, leave=False, delay=2, disable=None))


@contextlib.contextmanager
def logging_to(path):
    """Append to a file, inside the context, what the package logs from INFO on.

    Everything is as before at the end, so any number of runs of one process have a log
    each.
    """
    log = logging.getLogger("dsa")
    level = log.level
    handler = _with_times(
        logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    )
    log.addHandler(handler)
    if not log.isEnabledFor(logging.INFO):
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(handler)
        handler.close()


def _log_to_stream(stream):
    """Log to a stream. It replaces that of an earlier command in this process."""
    log = logging.getLogger("dsa")
    log.setLevel(logging.INFO)
    log.propagate = False
    for earlier in [h for h in log.handlers if type(h) is logging.StreamHandler]:
        log.removeHandler(earlier)
        earlier.close()
    log.addHandler(_with_times(logging.StreamHandler(stream)))


def _with_times(handler):
    """The same handler; each of its lines begins with the time."""
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    return handler

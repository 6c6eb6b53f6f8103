"""What all commands share: errors as one line each, and logging."""

import argparse
import functools
import logging
import os
import sys
from time import monotonic

from dsa.config_section import parse_number, parse_whole_number, shorten
from dsa.errors import InputError
from dsa.system.control_characters import escape_controls
from dsa.system.interrupts import EXIT_CODE, WORD, interruptible
from dsa.system.log_files import with_times

SECONDS_BETWEEN_LOOKS = 0.1
SECONDS_BETWEEN_LINES = 30
LONGEST_LINE = 1500  # letters of a line of an error
log = logging.getLogger(__name__)


def command(main=None, *, log_to_stderr=False):
    """Make a script's `main(arguments=None)` return its exit code.

    0 for success; 2 for mistakes in the user's files or arguments, for a failing disk
    or too little memory, with one line for each mistake on standard error; 75 where
    another process writes into the folder, or one of the same training has ended; 130
    after Ctrl-C.

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
        log_to_stream(sys.stderr if log_to_stderr else sys.stdout)
        with interruptible() as interrupt:
            try:
                code = _run(main, arguments)
            except BaseException as error:
                if not (interrupt.came or isinstance(error, KeyboardInterrupt)):
                    raise
                code = EXIT_CODE
        if code == EXIT_CODE or interrupt.came:
            print(WORD, file=sys.stderr)
            return EXIT_CODE
        return code

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


def process_number(text):
    """A number of processes of the command line, for `argparse`, or of one of them."""
    return _read_argument(parse_whole_number, text, 0, 10**6)


def count_number(text):
    """A whole number from 1 of the command line, for `argparse`."""
    return _read_argument(parse_whole_number, text, 1, 10**9)


def wait_number(text):
    """Milliseconds to wait of the command line, for `argparse`."""
    return _read_argument(parse_number, text, 0, 10**9)


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


def _run(main, arguments):
    """Run a command; returns its exit code."""
    try:
        main(arguments)
    except InputError as error:
        for line in str(error).split("\n"):
            show(f"error: {_shorten_line(escape_controls(line))}", sys.stderr)
        return error.exit_code
    except MemoryError as error:
        show(f"error: not enough memory: {error}", sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        show(f"error: {place}{error.strerror or error}", sys.stderr)
        return 2
    return 0


def _shorten_line(line):
    """A line of an error, without the middle of one that nobody reads: a damaged file
    can hold a name of any length."""
    if len(line) <= LONGEST_LINE:
        return line
    begin, end = LONGEST_LINE * 2 // 3, LONGEST_LINE // 6
    return f"{line[:begin]}... ({len(line):,} letters) ...{line[-end:]}"


def show(text, stream=None):
    """Print a text in which words of a user's files can be, such as keys and names.

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


def announce(what):
    """Say on a terminal what begins now and can take some seconds."""
    if sys.stderr is not None and sys.stderr.isatty():
        show(f"{what} ...", sys.stderr)
        sys.stderr.flush()


def show_progress(items, what, total=None, position=None):
    """An iterator over the same items. If they take longer, it shows how far they are:
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
    # disable=None: no bar where standard error is no terminal
    with tqdm(
        total=total, desc=what, leave=False, delay=2, disable=None, **size
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


def log_to_stream(stream):
    """Log to a stream. It replaces that of an earlier command in this process."""
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
        except Exception:
            self.handleError(record)

"""What the scripts share: errors as one line, and logging."""

import functools
import logging
import os
import sys

from dsa.errors import InputError


def command(main=None, *, log_to_stderr=False):
    """Make a script's `main(arguments=None)` return its exit code.

    0 for success; 2, and one line a mistake on standard error, for mistakes in the
    user's files or arguments, a failing disk or too little memory; 130 after Ctrl-C.

    Args:
        log_to_stderr: where standard output is for results, to be read by a program.
    """
    if main is None:
        return functools.partial(command, log_to_stderr=log_to_stderr)

    @functools.wraps(main)
    def run(arguments=None):
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow is chatty
        stream = sys.stderr if log_to_stderr else sys.stdout
        _log_to(logging.StreamHandler(stream))
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


def log_to_file(path):
    """Append what is logged to a file as well."""
    _log_to(logging.FileHandler(path, encoding="utf-8"))


def _log_to(handler):
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("dsa")
    log.setLevel(logging.INFO)
    log.propagate = False
    same = [h for h in log.handlers if type(h) is type(handler)]
    for old in same:  # a second command in this process has its own streams
        log.removeHandler(old)
        old.close()
    log.addHandler(handler)

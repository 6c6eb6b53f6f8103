"""Ctrl-C while a command imports what it needs. This module itself imports only what
Python has loaded when it starts, so that it can be the first one of a command."""

import os
import sys

EXIT_CODE = 130
WORD = "interrupted"


def say_interrupted_while_importing() -> None:
    """Ctrl-C outside a command, such as during imports, ends the process with the word
    `interrupted` instead of a traceback: also where a library has made another error
    of it, and where it comes in a callback, in which Python would only report it. Code
    that catches `KeyboardInterrupt` is not affected."""
    show_others, report_others = sys.excepthook, sys.unraisablehook

    def show(kind, error, trace):
        if _is_from_ctrl_c(error):
            end_process()
        show_others(kind, error, trace)

    def report(unraisable):
        if _is_from_ctrl_c(unraisable.exc_value):
            end_process()
        report_others(unraisable)

    sys.excepthook, sys.unraisablehook = show, report


def _is_from_ctrl_c(error):
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return bool(error)


def end_process() -> None:
    """Ends the process at once, as after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: S110 (it is at its end)
            pass
    os.write(2, f"{WORD}\n".encode())
    os._exit(EXIT_CODE)

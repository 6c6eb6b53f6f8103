"""Ctrl-C while a command imports what it needs. This module itself imports only what
Python has loaded when it starts, so that it can be the first one of a command."""

import os
import sys

EXIT_CODE = 130
WORD = "interrupted"


def say_interrupted_while_importing() -> None:
    """Ctrl-C outside a command, such as during imports, prints `interrupted` instead of
    a traceback. Code that catches `KeyboardInterrupt` is not affected."""
    show_others = sys.excepthook

    def show(kind, error, trace):
        if issubclass(kind, KeyboardInterrupt):
            end_process()
        show_others(kind, error, trace)

    sys.excepthook = show


def end_process() -> None:
    """Ends the process at once, as after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: S110 (it is at its end)
            pass
    os.write(2, f"{WORD}\n".encode())
    os._exit(EXIT_CODE)

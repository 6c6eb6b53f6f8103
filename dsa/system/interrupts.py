"""Handling of Ctrl-C: a command ends with exit code 130 and prints "interrupted"."""

import contextlib
import signal
import threading
from collections.abc import Iterator

EXIT_CODE = 130
INTERRUPTED_MESSAGE = "interrupted"


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

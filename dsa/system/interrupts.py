"""Ctrl-C ends a command with exit code 130 and the word "interrupted"."""

import contextlib
import signal
import threading
from collections.abc import Iterator

EXIT_CODE = 130
MESSAGE = "interrupted"


class Interrupt:
    """Records in `pressed` whether Ctrl-C was pressed."""

    pressed = False


@contextlib.contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Raises `KeyboardInterrupt` after Ctrl-C; a second Ctrl-C ends the process.

    Libraries catch `KeyboardInterrupt` or replace it by another exception, so the
    returned object records it. A signal handler of the caller is not replaced.

    Yields: an `Interrupt`.
    """
    interrupt = Interrupt()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) != signal.default_int_handler:
        yield interrupt
        return

    def handle(*_):
        interrupt.pressed = True
        # ends the process also while a library computes; files are written atomically
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)

"""Ctrl-C ends a command with exit code 130 and the word "interrupted"."""

import atexit
import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator

from dsa.system.first_interrupt import end_process

SECONDS = 10  # for a command to end by itself, then its process is ended
SECONDS_AFTER_ANOTHER = 1  # the same, where Ctrl-C comes again


class Interrupt:
    """Whether Ctrl-C `came`."""

    came = False


@contextlib.contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Inside the context Ctrl-C raises `KeyboardInterrupt`, and cannot be lost.

    Libraries turn that exception into others, lose it in a callback, or do not see it
    while they compute. So it is noted that Ctrl-C came; and where the context does not
    end some seconds later, or Ctrl-C comes again, the process is ended. What commands
    write is whole or not there, whenever they are ended. After the context, Ctrl-C does
    not change the exit code of a process that is at its end already.

    Yields: an `Interrupt`.
    """
    interrupt = Interrupt()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) != signal.default_int_handler:
        yield interrupt  # another handler decides what Ctrl-C does
        return

    def stop(*_):
        if interrupt.came:
            end_process()
        interrupt.came = True
        # what a library says of the exception where it cannot be raised
        sys.unraisablehook = threading.excepthook = lambda *_: None
        raise KeyboardInterrupt

    hooks = sys.unraisablehook, threading.excepthook
    with _watch_for_signals():
        signal.signal(signal.SIGINT, stop)
        try:
            yield interrupt
        finally:
            if interrupt.came:
                _let_python_forget_it()
            atexit.unregister(_ignore_ctrl_c)
            atexit.register(_ignore_ctrl_c)  # the last one is called first
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook, threading.excepthook = hooks


@contextlib.contextmanager
def _watch_for_signals():
    """Ends the process if the context does not end `SECONDS` after Ctrl-C, or
    `SECONDS_AFTER_ANOTHER` after the next one. A handler waits for the main thread to
    run Python again; a thread need not."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    earlier = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def watch():
        seconds = None  # without end
        while select.select([reader], [], [], seconds)[0]:
            number = os.read(reader, 1)
            if not number:  # the context has ended
                os.close(reader)
                return
            if number[0] == signal.SIGINT:
                seconds = SECONDS if seconds is None else SECONDS_AFTER_ANOTHER
        end_process()

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(earlier)
        os.close(writer)


def _let_python_forget_it():
    """Where Ctrl-C ends code that is run as text, such as the methods of a dataclass
    when its class is made, Python notes it, and lets a signal end the process later
    whatever its exit code is. It forgets the note where it runs another text."""
    exec("")


def _ignore_ctrl_c():
    """Nothing is left to interrupt: Python and its libraries clear up, for a second."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

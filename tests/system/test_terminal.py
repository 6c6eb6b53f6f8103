"""Tests of texts, progress bars and log lines on a terminal."""

import io
import itertools
import logging
import os
import sys
import termios
import types

import pytest

from dsa.errors import InputError
from dsa.system import terminal
from dsa.system.command_line import command
from dsa.system.terminal import (
    announce,
    can_show_bars,
    escape_controls,
    log_to_stream,
    logging_to,
    release_buffered_lines,
    show_progress,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_start_of_a_task_is_announced_on_a_terminal_only(monkeypatch, capsys):
    announce("loading")
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    announce("loading")
    assert terminal.getvalue() == "loading ...\n"


@pytest.mark.parametrize("seconds", [0, 10])
def test_a_bar_is_drawn_on_a_terminal_after_two_seconds(monkeypatch, seconds):
    import tqdm.std

    clock = iter(range(0, 10_000, seconds or 1)) if seconds else iter([0.0] * 10_000)
    monkeypatch.setattr(tqdm.std, "time", lambda: next(clock))
    monkeypatch.setattr("dsa.system.terminal.monotonic", lambda: next(clock))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(show_progress(range(50), "encoding", 50)) == list(range(50))
    assert ("encoding" in terminal.getvalue()) == (seconds > 2)


def test_no_bar_is_drawn_elsewhere(capsys):
    items = show_progress(iter("abc"), "encoding")
    assert next(items) == "a" and list(items) == ["b", "c"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("columns", [0, 80])
def test_a_terminal_without_width_has_no_bar(monkeypatch, columns):
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    with open(ours, "rb", 0), open(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert can_show_bars() == (columns > 0)
    monkeypatch.setattr(sys, "stderr", None)
    assert not can_show_bars()


def use_clock(monkeypatch, seconds):
    clock = itertools.count(0, seconds)
    monkeypatch.setattr("dsa.system.terminal.monotonic", lambda: next(clock))


def test_progress_is_logged_without_a_terminal(monkeypatch, capsys):
    use_clock(monkeypatch, 20)
    log_to_stream(sys.stdout)
    assert len(list(show_progress(range(5), "encoding", 5))) == 5
    lines = capsys.readouterr().out.splitlines()
    assert [line[9:] for line in lines] == [
        "encoding: 2 of 5 (40 %)",
        "encoding: 4 of 5 (80 %)",
    ]
    positions = iter((10, 20, 30))
    list(show_progress("abc", "reading", 40, position=lambda: next(positions)))
    assert capsys.readouterr().out.endswith("reading: 50 %\n")


def test_a_log_line_is_flushed_to_a_pipe():
    pipe = io.TextIOWrapper(io.BytesIO())  # as buffered as standard output in a pipe
    log_to_stream(pipe)
    logging.getLogger("dsa.tests").info("a line")
    assert pipe.buffer.getvalue().endswith(b"a line\n")


def test_a_log_line_does_not_break_a_bar(monkeypatch):
    import tqdm

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", terminal)
    log_to_stream(terminal)
    with tqdm.tqdm(total=9, desc="bar", file=terminal) as bar:
        bar.update(3)
        logging.getLogger("dsa.x").info("a line")
    written = terminal.getvalue().split("\r")
    (line,) = [part for part in written if "a line" in part]
    assert "bar" not in line and line.endswith("a line\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, é, 日本\tand\nlines", "plain, é, 日本\tand\nlines"),
        ("\x1b[2J\x07\r\x7f", r"\x1b[2J\x07\r\x7f"),
        ("\x9b31m \u202eabc \u2066", r"\x9b31m \u202eabc \u2066"),
        ("\udcff", r"\udcff"),
    ],
)
def test_control_characters_are_escaped(text, shown):
    assert escape_controls(text) == shown


def test_errors_and_log_lines_escape_control_characters(capsys, tmp_path):
    @command
    def main(arguments):
        with logging_to(tmp_path / "log.txt"):
            logging.getLogger("dsa.x").warning("unknown: %s", "\x1b[31mred")
        raise InputError("unknown key '\x1b]0;title\x07'")

    assert main() == 2
    printed = capsys.readouterr()
    assert printed.out.endswith("unknown: \\x1b[31mred\n")
    assert printed.err == "error: unknown key '\\x1b]0;title\\x07'\n"
    assert (tmp_path / "log.txt").read_text().endswith("unknown: \\x1b[31mred\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="requires Linux")
@pytest.mark.parametrize("buffered", [True, False])
def test_a_log_on_a_full_disk_is_an_error_in_one_line(buffered, capsys):
    @command
    def main(arguments):
        with logging_to("/dev/full", buffered=buffered):
            logging.getLogger("dsa.x").info("hello")
            release_buffered_lines()

    assert main([]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "error: /dev/full: No space left on device"
    assert "Traceback" not in " ".join(lines)


def test_a_notebook_has_bars_and_shows_the_log(monkeypatch, capsys):
    package_log = logging.getLogger("dsa")
    monkeypatch.setattr(package_log, "handlers", [])
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(package_log, "propagate", True)
    terminal.log_to_notebook()
    assert package_log.handlers == [] and not terminal.can_show_bars()  # no notebook
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert terminal.can_show_bars()
    terminal.log_to_notebook()
    terminal.log_to_notebook()
    package_log.info("an evaluation")
    assert capsys.readouterr().out.endswith(" an evaluation\n")
    assert len(package_log.handlers) == 1

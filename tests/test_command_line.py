"""What is shown on a terminal while something takes long."""

import io
import sys

import pytest

from dsa.command_line import announce, show_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_what_begins_is_said_on_a_terminal_only(monkeypatch, capsys):
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
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(show_progress(range(50), "encoding", 50)) == list(range(50))
    assert ("encoding" in terminal.getvalue()) == (seconds > 2)


def test_no_bar_is_drawn_elsewhere(capsys):
    items = show_progress(iter("abc"), "encoding")
    assert next(items) == "a" and list(items) == ["b", "c"]
    assert capsys.readouterr().err == ""

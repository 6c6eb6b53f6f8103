import logging

import pytest

from dsa.command_line import command, logging_to
from dsa.errors import InputError

LOG = logging.getLogger("dsa")


@pytest.fixture(autouse=True)
def _restore_logger():
    before = LOG.level, LOG.propagate, list(LOG.handlers)
    yield
    LOG.level, LOG.propagate = before[:2]
    LOG.handlers[:] = before[2]


def messages(path):
    """The lines of a log, without their times."""
    return [line.split(" ", 1)[1] for line in path.read_text().splitlines()]


def test_each_run_of_a_process_has_its_own_log(tmp_path):
    before = list(LOG.handlers)
    for name in ("first", "second", "first"):
        with logging_to(tmp_path / name):
            logging.getLogger("dsa.training").info("%s run", name)
        LOG.info("between two runs")
        assert LOG.handlers == before
    assert messages(tmp_path / "first") == ["first run", "first run"]
    assert messages(tmp_path / "second") == ["second run"]


def test_the_log_ends_with_an_error_too(tmp_path):
    LOG.setLevel(logging.WARNING)
    before = list(LOG.handlers)
    with pytest.raises(InputError, match="no corpus"):
        with logging_to(tmp_path / "log"):
            LOG.info("begun")
            raise InputError("no corpus")
    assert LOG.handlers == before
    assert LOG.level == logging.WARNING
    assert messages(tmp_path / "log") == ["begun"]


def test_a_second_command_replaces_the_stream_of_the_first(tmp_path, capsys):
    @command
    def main(arguments):
        with logging_to(tmp_path / "log"):
            LOG.info("%s", arguments)

    assert [main("one"), main("two")] == [0, 0]
    output = capsys.readouterr().out.splitlines()
    assert [line.split(" ", 1)[1] for line in output] == ["one", "two"]
    assert messages(tmp_path / "log") == ["one", "two"]


def test_a_command_logs_to_standard_error_where_it_is_asked_to(capsys):
    @command(log_to_stderr=True)
    def main(arguments):
        LOG.info("begun")
        print("result")

    assert main([]) == 0
    captured = capsys.readouterr()
    assert captured.out == "result\n"
    assert captured.err.endswith(" begun\n")


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (InputError("one\ntwo"), 2, ["error: one", "error: two"]),
        (MemoryError("3 GB"), 2, ["error: not enough memory: 3 GB"]),
        (OSError(28, "No space left", "a.npz"), 2, ["error: a.npz: No space left"]),
        (KeyboardInterrupt(), 130, ["interrupted"]),
    ],
)
def test_errors_are_one_line_each(capsys, error, code, lines):
    @command
    def main(arguments):
        raise error

    assert main([]) == code
    assert capsys.readouterr().err.splitlines() == lines

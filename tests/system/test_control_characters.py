import pytest

from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.control_characters import escape_controls


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, é, 日本\tand\nlines", "plain, é, 日本\tand\nlines"),
        ("\x1b[2J\x07\r\x7f", r"\x1b[2J\x07\r\x7f"),
        ("\x9b31m \u202eabc \u2066", r"\x9b31m \u202eabc \u2066"),
        ("\udcff", r"\udcff"),
    ],
)
def test_control_characters_are_written_out(text, shown):
    assert escape_controls(text) == shown


def test_errors_and_log_lines_obey_nobody(capsys, tmp_path):
    import logging

    from dsa.system.log_files import logging_to

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

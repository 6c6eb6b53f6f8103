"""Tests of the error messages of commands."""

import pytest

from dsa.errors import InputError
from dsa.system.command_line import command


@pytest.mark.parametrize("name", ["7" * 5000, "\a" * 1000])
def test_an_error_with_a_very_long_name_is_shortened(name, capsys):
    @command
    def main(arguments):
        raise InputError(f"file.csv, line 3: {name} is not of the test file")

    assert main([]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert len(line) < 1500
    assert line.startswith("error: file.csv, line 3: ")
    assert " letters) ..." in line and line.endswith(" is not of the test file")

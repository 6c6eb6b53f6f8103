"""Names of runs become folders at the door."""

import argparse
from pathlib import Path

import pytest

from dsa.commands.main import main
from dsa.commands.run_options import find_runs, parse_options
from dsa.errors import InputError
from dsa.hub.fetching import find_run


@pytest.fixture
def parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--with", nargs="+", dest="others")
    return parser


def test_each_name_of_a_run_becomes_its_folder(parser):
    options = parse_options(parser, ["mini", "runs/a", "--with", "mini"])
    assert [run.path for run in options.runs] == [find_run("mini"), Path("runs/a")]
    assert [run.path for run in options.others] == [find_run("mini")]


def test_other_options_stay_as_they_are():
    options = argparse.Namespace(run=None, name="mini")
    assert vars(find_runs(options)) == {"run": None, "name": "mini"}


def test_a_name_of_no_run_is_refused(parser):
    with pytest.raises(InputError, match="nothing: no such run folder, and no release"):
        parse_options(parser, ["nothing"])


@pytest.mark.parametrize(
    "line",
    [
        "predict nothing --runtime keras text text",
        "predict nothing --with mini -- -text text",
        "predict nothing text --runtime keras text",
        "visualize nothing --single mini --pair text text",
        "visualize --pair text text nothing --single mini",
    ],
)
def test_options_stand_between_runs_and_texts(line, capsys):
    assert main(line.split()) == 2
    assert "nothing: no such run folder" in capsys.readouterr().err

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from dsa.analysis.figure_files import FigureFiles, add_figure_arguments

BEGINNINGS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_figure_is_written_in_every_format_always_the_same(tmp_path, name):
    contents = []
    for number in range(2):
        figure = Figure((2, 1))
        figure.subplots().plot([1, 2])
        path = FigureFiles(name).write(figure, tmp_path, f"figure_{number}")
        assert path == tmp_path / f"figure_{number}.{name}"
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] and contents[0].startswith(BEGINNINGS[name])


def test_commands_write_figures_whatever_the_backend(tmp_path):
    """Jupyter sets `MPLBACKEND` for every process that a notebook starts, also in an
    environment without this backend."""
    program = (
        "import dsa.commands\n"
        "from matplotlib.figure import Figure\n"
        "from dsa.analysis.figure_files import FigureFiles\n"
        "from pathlib import Path\n"
        "for name in ('png', 'pdf', 'svg'):\n"
        "    figure = Figure((2, 1))\n"
        "    figure.subplots().plot([1, 2])\n"
        "    FigureFiles(name).write(figure, Path(), 'a')\n"
    )
    backend = "module://matplotlib_inline.backend_inline"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "MPLBACKEND": backend, "PYTHONPATH": str(Path.cwd())},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"a.png", "a.pdf", "a.svg"}


def test_dots_per_inch_are_those_of_the_picture(tmp_path):
    path = FigureFiles(dpi=50).write(Figure((4, 3)), tmp_path, "a")
    width, height = (int.from_bytes(path.read_bytes()[n : n + 4]) for n in (16, 20))
    assert (width, height) == (200, 150)


@pytest.mark.parametrize(
    "arguments", [["--dpi", "0"], ["--dpi", "9999"], ["--dpi", "x"]]
)
def test_dots_that_no_figure_has_are_refused(arguments, capsys):
    parser = argparse.ArgumentParser()
    add_figure_arguments(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(arguments)
    assert "must be an integer from 10 to 600" in capsys.readouterr().err

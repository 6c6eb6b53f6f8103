import pathlib
import sys

import pytest

from dsa.errors import InputError
from dsa.sweeps.processes import run_command, run_process

# a shell's background job, as a test runner may be one, ignores Ctrl-C
DIES = "signal.signal(2, signal.SIG_DFL);"


def run_python(text, *arguments):
    run_process([sys.executable, "-c", text, *arguments], "train")


def test_a_process_gets_its_arguments_as_text(tmp_path):
    text = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('done')"
    run_python(text, tmp_path / "a")
    assert (tmp_path / "a").read_text() == "done"


def test_a_process_that_fails_stops_the_sweep():
    with pytest.raises(InputError, match="train stopped with exit code 3, see"):
        run_python("raise SystemExit(3)")


@pytest.mark.parametrize("end", ["raise SystemExit(130)", "os.kill(os.getpid(), 2)"])
def test_an_interrupted_process_interrupts_the_sweep(end):
    with pytest.raises(KeyboardInterrupt):
        run_python(f"import os, signal; {DIES} {end}")


def test_a_command_is_run_in_a_process_of_its_own(capfd):
    run_command("configs", ["configs/mini"])
    assert "configs/mini/dsa.yaml" in capfd.readouterr().out
    with pytest.raises(InputError, match="dsa configs stopped with exit code 2"):
        run_command("configs", ["nowhere"])


def test_a_command_is_ours_whatever_the_working_directory_holds(tmp_path, monkeypatch):
    (tmp_path / "dsa").mkdir()
    (tmp_path / "dsa" / "__init__.py").write_text("raise SystemExit(1)")
    checkout = pathlib.Path.cwd()
    monkeypatch.chdir(tmp_path)
    run_command("configs", [checkout / "configs" / "mini"])

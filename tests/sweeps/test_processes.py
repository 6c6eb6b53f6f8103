import pytest

from dsa.errors import InputError
from dsa.sweeps.processes import run_script


def write_script(folder, text):
    path = folder / "train.py"
    path.write_text(text)
    return path


def test_a_script_gets_its_arguments_as_text(tmp_path):
    script = write_script(
        tmp_path, "import pathlib, sys\npathlib.Path(sys.argv[1]).write_text('done')"
    )
    run_script(script, [tmp_path / "a"])
    assert (tmp_path / "a").read_text() == "done"


def test_a_script_that_fails_stops_the_sweep(tmp_path):
    with pytest.raises(InputError, match="train.py stopped with exit code 3, see"):
        run_script(write_script(tmp_path, "raise SystemExit(3)"), [])


@pytest.mark.parametrize("end", ["raise SystemExit(130)", "os.kill(os.getpid(), 2)"])
def test_an_interrupted_script_interrupts_the_sweep(tmp_path, end):
    with pytest.raises(KeyboardInterrupt):
        run_script(write_script(tmp_path, f"import os\n{end}"), [])

"""The command `dsa` and the scripts."""

import importlib
import logging
import pathlib
import re
import subprocess
import sys

import pytest

from dsa.commands.main import COMMANDS, SHORT_NAMES, get_module_name, main
from dsa.version import __version__

SCRIPTS = {  # and their commands
    "download_data": "download",
    "evaluate": "evaluate",
    "make_submission": "submit",
    "predict": "predict",
    "reproduce": "reproduce",
    "train": "train",
    "visualize_attention": "visualize",
}


def test_the_usage_lists_every_command_with_a_summary(capsys):
    assert main([]) == 0 and main(["--help"]) == 0
    text = capsys.readouterr().out
    for name, summary in COMMANDS.items():
        assert f"  {name} " in text and summary in text
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


def test_an_unknown_command_is_an_error_with_the_usage(capsys):
    assert main(["trian"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: unknown command 'trian'\n") and "  train" in error


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["dsa"])
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: dsa {name} ")


@pytest.mark.parametrize("module", ["dsa", "dsa.commands"])
def test_python_m_runs_the_command(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{__version__}\n", "")


@pytest.mark.parametrize(
    "name", ["predict", "compare", "lengths", "plot", "list", *SHORT_NAMES]
)
def test_the_log_goes_to_stderr_for_commands_that_print_results(name, capsys):
    with pytest.raises(SystemExit):
        main([name, "--help"])
    capsys.readouterr()
    logging.getLogger("dsa").warning("a warning")
    written = capsys.readouterr()
    assert written.out == "" and written.err.endswith(" a warning\n")


def test_commands_and_modules_correspond():
    folder = pathlib.Path(importlib.import_module("dsa.commands").__file__).parent
    modules = {path.stem for path in folder.glob("*.py")}
    others = {"__init__", "__main__", "bulk_options", "main", "options", "run_options"}
    commands = {get_module_name(name).rpartition(".")[2] for name in COMMANDS}
    assert modules == {*commands, *others}


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_short_names_are_those_of_a_part_of_the_list(name, tmp_path, capsys):
    assert main([name, "configs/mini"]) == main(["list", name, "configs/mini"])
    one, other = capsys.readouterr()
    assert one[: len(one) // 2] == one[len(one) // 2 :]
    assert other[: len(other) // 2] == other[len(other) // 2 :]
    assert main([name, str(tmp_path)]) == 2
    assert f" below {tmp_path}" in capsys.readouterr().err


def test_every_script_is_a_command(scripts):
    files = {path.stem for path in pathlib.Path("scripts").glob("*.py")}
    assert files == {*SCRIPTS, "gpu_campaign"}  # which runs benchmarks of the checkout
    for script, command in SCRIPTS.items():
        assert getattr(scripts, script).main.__module__ == f"dsa.commands.{command}"


def test_the_list_is_printed_without_importing_keras(tmp_path):
    arguments = ["list", "--runs", str(tmp_path), "--configs", "configs/mini"]
    code = (
        "import sys; from dsa.commands.main import main\n"
        f"assert main({arguments!r}) == 0\n"
        "assert not {'keras', 'tensorflow'} & {*sys.modules}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    release = r"\| mini \| DSA on the bundled corpus.* \| 0.4 MB \| (\d.\d MB|-) \|"
    assert re.search(release, done.stdout)
    assert "| snli | 94.6 MB | CC BY-SA 4.0 |" in done.stdout
    assert "| quora | by hand |" in done.stdout
    assert f"no run below {tmp_path}" in done.stdout
    assert "| configs/mini/dsa.yaml | dsa | snli |" in done.stdout


def test_help_imports_no_keras():
    names = ", ".join(get_module_name(name) for name in COMMANDS)
    code = (
        f"import sys, {names}; assert not {{'keras', 'tensorflow'}} & {{*sys.modules}}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

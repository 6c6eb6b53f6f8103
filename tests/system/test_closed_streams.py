"""Commands whose output nobody reads, or that have no streams or home folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DSA = f"{sys.executable} -m dsa"


def run(script, tmp_path, **environment):
    """Runs a script of bash; returns exit code and output."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


LOGS = """
from dsa.system.command_line import command
import logging, sys, time
@command
def main(arguments):
    for number in range(100_000):
        logging.getLogger("dsa").info("line %d", number)
    print("not ended", file=sys.stderr)
sys.exit(main([]))
"""
PRINTS = """
from dsa.system.command_line import command
import sys
@command
def main(arguments):
    for number in range(100_000):
        print(number)
sys.exit(main([]))
"""


@pytest.mark.parametrize("program", [LOGS, PRINTS], ids=["logs", "prints"])
def test_a_command_ends_quietly_with_the_reader_of_its_output(program, tmp_path):
    (tmp_path / "program.py").write_text(program)
    code, out, err = run(f"{sys.executable} program.py | head -1", tmp_path)
    assert code == 141  # as `seq 100000 | head -1`
    assert len(out.splitlines()) == 1
    assert err == ""


def test_both_streams_can_end(tmp_path):
    (tmp_path / "program.py").write_text(LOGS)
    code, out, _ = run(f"{sys.executable} program.py 2>&1 | head -1", tmp_path)
    assert code == 141 and len(out.splitlines()) == 1


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-"])
def test_a_command_runs_with_closed_streams(closed, tmp_path):
    program = "import os; from dsa.system.command_line import command; import sys\n"
    program += "@command\ndef main(arguments):\n    sys.stderr.write('x')\n"
    program += "    sys.stdout.write('x'); os.write(1, b'x'); os.write(2, b'x')\n"
    program += "    open('file', 'w').write('whole')\n"
    (tmp_path / "program.py").write_text(f"{program}sys.exit(main([]))\n")
    assert run(f"{sys.executable} program.py {closed}", tmp_path)[0] == 0
    assert (tmp_path / "file").read_text() == "whole"
    assert run(f"{DSA} list configs {closed}", tmp_path)[0] == 0


WITHOUT_HOME = """
import os, pwd, sys
def unknown(*arguments):
    raise KeyError("getpwuid(): uid not found")
pwd.getpwuid = pwd.getpwnam = unknown
for name in ("HOME", "XDG_CACHE_HOME", "DSA_CACHE", "KERAS_HOME"):
    os.environ.pop(name, None)
import dsa.commands  # as a command starts
from dsa.backends.choice import get_backend_name
from dsa.system.folders import get_cache_folder
get_backend_name()
assert get_cache_folder().is_dir() and get_cache_folder() == get_cache_folder()
print(get_cache_folder(), os.environ["KERAS_HOME"])
"""


def test_a_user_without_a_home_folder_gets_a_temporary_cache(tmp_path):
    (tmp_path / "program.py").write_text(WITHOUT_HOME)
    code, out, err = run(f"{sys.executable} program.py", tmp_path)
    assert code == 0, err
    assert "To keep it, set DSA_CACHE to a folder" in err
    cache, keras_home = out.split()
    assert keras_home.startswith(cache)
    assert not Path(cache).exists()
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]  # no folder `~`

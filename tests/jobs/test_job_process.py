"""Tests of a command in a separate process."""

import pathlib
import subprocess
import sys

import pytest

from dsa.jobs.job_process import (
    DONE,
    FAILED,
    INTERRUPTED,
    KILLED,
    JobProcess,
    read_last_line,
)

# background jobs of a shell ignore Ctrl-C
DIES = "signal.signal(2, signal.SIG_DFL);"
RUNS = """
import sys
exec(sys.argv[1])
"""


@pytest.fixture
def run_python(tmp_path, monkeypatch):
    """Returns a function that runs Python code as a job and returns its `Outcome`."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "run_text.py").write_text(RUNS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    return lambda text, *arguments, **more: JobProcess(
        "run_text", (text, *arguments), **more
    ).wait()


def test_a_process_receives_its_arguments(run_python, tmp_path):
    text = "import pathlib; pathlib.Path(sys.argv[2]).write_text('done')"
    assert run_python(text, str(tmp_path / "a b")) == (DONE, "")
    assert (tmp_path / "a b").read_text() == "done"


def test_the_reason_of_a_failure_names_the_log(run_python, tmp_path):
    text = "print('error: no such thing'); raise SystemExit(3)"
    kind, reason = run_python(text)
    assert kind == FAILED and reason.endswith("stopped with exit code 3 (see above)")
    log = tmp_path / "log"
    log.write_text("of an earlier start\n")
    kind, reason = run_python(text, log=log)
    assert kind == FAILED and reason.endswith(f"3 (see {log}): no such thing")
    kind, reason = run_python("raise SystemExit(3)", log=log)
    assert reason.endswith(f"(see {log})")  # without lines of earlier starts


@pytest.mark.parametrize("end", ["raise SystemExit(130)", "os.kill(os.getpid(), 2)"])
def test_an_interrupted_process_has_the_kind_interrupted(run_python, end):
    assert run_python(f"import os, signal; {DIES} {end}").kind == INTERRUPTED


def test_the_reason_of_a_kill_names_the_signal(run_python):
    kind, reason = run_python("import os; os.kill(os.getpid(), 15)")
    assert kind == KILLED and reason.endswith("was ended by SIGTERM")


def test_a_command_of_this_package_is_done_or_failed(capfd):
    assert JobProcess("dsa.commands", ("configs", "configs/mini")).wait().kind == DONE
    assert "configs/mini/dsa.yaml" in capfd.readouterr().out
    kind, reason = JobProcess("dsa.commands", ("configs", "nowhere")).wait()
    assert (kind, reason) == (
        FAILED,
        "dsa configs stopped with exit code 2 (see above)",
    )


def test_a_package_of_the_working_directory_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "dsa").mkdir()
    (tmp_path / "dsa" / "__init__.py").write_text("raise SystemExit(1)")
    checkout = pathlib.Path.cwd()
    monkeypatch.chdir(tmp_path)
    command = ("configs", str(checkout / "configs" / "mini"))
    assert JobProcess("dsa.commands", command).wait().kind == DONE


def test_variables_and_the_working_directory_are_those_that_are_named(
    run_python, tmp_path
):
    text = "import os; open('out', 'w').write(os.environ['DSA_X'])"
    run_python(text, env={"DSA_X": "7"}, cwd=tmp_path)
    assert (tmp_path / "out").read_text() == "7"


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_a_process_whose_parent_is_gone_ends_at_once(run_python):
    text = (
        "import os; os.environ['DSA_PARENT'] = '1'\n"
        "from dsa.jobs.job_process import die_with_parent; die_with_parent()"
    )
    assert run_python(text).kind == KILLED
    alive = text.replace("'1'", "str(os.getppid())")
    assert run_python(f"{alive}; assert 'DSA_PARENT' not in os.environ").kind == DONE


def test_what_is_imported_before_a_process_follows_its_parent_is_quick():
    text = "import sys, dsa.jobs.job_process; print(*sys.modules)"
    line = [sys.executable, "-c", text]
    names = set(subprocess.run(line, capture_output=True, text=True).stdout.split())
    assert "dsa.jobs.job_process" in names
    assert not {"numpy", "keras", "pydantic", "logging", "argparse"} & names


def test_the_last_line_is_not_empty_and_is_escaped(tmp_path):
    log = tmp_path / "log"
    log.write_text("first\nerror: a\x1b[31mb\n\n  \n")
    assert read_last_line(log) == r"a\x1b[31mb"
    log.write_text("")
    assert read_last_line(log) == ""

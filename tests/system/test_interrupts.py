"""Ctrl-C, in this process and in real ones."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from dsa.system.command_line import command
from dsa.system.interrupts import interruptible
from dsa.system.worker_processes import _children_that_start_without_ctrl_c

RUN = pathlib.Path("tests/support/run_of_0_1_0/run")


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)  # the handler runs in here


@pytest.fixture(autouse=True)
def the_default_handler():
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, earlier) is signal.default_int_handler


def end_well():
    pass


def lose_it():
    try:
        press_ctrl_c()
    except KeyboardInterrupt:
        pass


def make_another_error_of_it():
    try:
        press_ctrl_c()
    except KeyboardInterrupt as error:
        raise RuntimeError("module import failed") from error


@pytest.mark.parametrize("work", [press_ctrl_c, lose_it, make_another_error_of_it])
def test_a_command_ends_with_130_and_one_word(work, capsys):
    assert command(lambda arguments: work())() == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert command(lambda arguments: end_well())() == 0


def test_an_error_without_ctrl_c_stays_an_error():
    def fail(arguments):
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        command(fail)()


def test_somebody_elses_handler_stays():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interruptible() as interrupt:
        os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert not interrupt.came
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_ctrl_c_waits_while_children_start():
    with pytest.raises(KeyboardInterrupt):
        with _children_that_start_without_ctrl_c():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
            reached = True
    assert reached


STUCK = """
import signal, time
from dsa.system import interrupts
from dsa.system.command_line import command
interrupts.SECONDS = {seconds}

@command
def main(arguments):
    {before}
    while True:
        try:
            print("ready", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass

raise SystemExit(main())
"""


@pytest.mark.parametrize(("seconds", "times"), [(0.2, 1), (60, 2)])
def test_a_process_that_does_not_end_is_ended(seconds, times):
    process = start("-c", STUCK.format(seconds=seconds, before=""))
    for _ in range(times):
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
    assert end(process) == (130, "interrupted\n")


def test_a_process_that_runs_no_python_is_ended_by_the_second_ctrl_c():
    in_others = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])"
    process = start("-c", STUCK.format(seconds=60, before=in_others))
    process.stdout.readline()
    process.send_signal(signal.SIGINT)  # a thread gets it, the main thread sleeps on
    time.sleep(0.3)  # else both are one
    process.send_signal(signal.SIGINT)
    assert end(process) == (130, "interrupted\n")


IN_TEXT = """
from dsa.system.command_line import command

@command
def main(arguments):
    exec("import os, signal; os.kill(os.getpid(), signal.SIGINT)")

raise SystemExit(main())
"""


def test_ctrl_c_in_code_that_is_run_as_text(tmp_path, monkeypatch):
    (tmp_path / "run_text.py").write_text(IN_TEXT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert end(start("-m", "run_text")) == (130, "interrupted\n")


DONE = """
import atexit, time
from dsa.system.command_line import command

@atexit.register
def clear_up():
    print("done", flush=True)
    time.sleep(1)

raise SystemExit(command(lambda arguments: None)())
"""


def test_ctrl_c_after_a_command_is_too_late():
    process = start("-c", DONE)
    assert process.stdout.readline() == "done\n"
    process.send_signal(signal.SIGINT)
    assert end(process) == (0, "")


PRESS = "os.kill(os.getpid(), signal.SIGINT)"
IN_A_CALLBACK = f"""
class Lock:
    def __del__(self):
        {PRESS}

Lock()
print("it was lost")
"""
AS_ANOTHER_ERROR = f"""
try:
    {PRESS}
except KeyboardInterrupt as error:
    raise ImportError("a module of C") from error
"""


@pytest.mark.parametrize("code", [PRESS, IN_A_CALLBACK, AS_ANOTHER_ERROR])
def test_ctrl_c_during_imports_is_one_word(code):
    process = start("-c", f"import dsa.commands, os, signal\n{code}")
    assert process.communicate(timeout=30) == ("", "interrupted\n")
    assert process.returncode == 130


def test_other_errors_during_imports_are_shown():
    code = "import dsa.commands\nraise ImportError('no such module')"
    code, error = end(start("-c", code))
    assert code == 1 and error.endswith("ImportError: no such module\n")


PREDICT = "-m", "dsa.commands", "predict", RUN, "A man.", "A man."


@pytest.fixture(scope="module")
def seconds():
    """How long the command takes that is stopped, where its files are in memory."""
    assert end(start(*PREDICT))[0] == 0
    began = time.monotonic()
    assert end(start(*PREDICT))[0] == 0
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.03, 0.1, 0.2, 0.35, 0.5, 0.65])
def test_ctrl_c_ends_a_command_at_any_moment(seconds, share):
    while (answer := stop_predict(share * seconds)).stdout:
        assert (answer.returncode, answer.stderr) == (0, "")
        share *= 0.8  # it had done its work: the machine is less busy than before
    assert (answer.returncode, answer.stderr) == (130, "interrupted\n")


def stop_predict(after):
    process = start(*PREDICT)
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the children too
    output, error = process.communicate(timeout=30)
    return subprocess.CompletedProcess(PREDICT, process.returncode, output, error)


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(process):
    _, error = process.communicate(timeout=30)
    return process.returncode, error


def test_nothing_that_takes_time_is_imported_before_ctrl_c_is_answered():
    """From the start of a command on; before it, Python itself answers."""
    code = """
import sys
untouched, names = sys.excepthook, []
class Finder:
    def find_spec(self, name, path=None, target=None):
        if sys.excepthook is untouched:
            names.append(name)
sys.meta_path.insert(0, Finder())
import dsa.commands.main
print(*names)
assert sys.excepthook is not untouched
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [
        "dsa",
        "dsa.errors",
        "dsa.version",
        "dsa.commands",
        "dsa.system",
        "dsa.system.first_interrupt",
    ]

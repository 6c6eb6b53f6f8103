"""Ctrl-C, in this process and in real ones."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from dsa.commands.main import main
from dsa.system.command_line import command, interruptible
from tests.support.processes import is_alive, wait_for

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


def suppress_it():
    try:
        press_ctrl_c()
    except KeyboardInterrupt:
        pass


def replace_it():
    try:
        press_ctrl_c()
    except KeyboardInterrupt as error:
        raise RuntimeError("module import failed") from error


@pytest.mark.parametrize("work", [press_ctrl_c, suppress_it, replace_it])
def test_an_interrupted_command_exits_with_130_in_one_line(work, capsys):
    assert command(lambda arguments: work())() == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert command(lambda arguments: end_well())() == 0


def test_an_error_without_ctrl_c_is_raised():
    def fail(arguments):
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        command(fail)()


def test_a_signal_handler_of_the_caller_is_not_replaced():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interruptible() as interrupt:
        os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert not interrupt.pressed
    signal.signal(signal.SIGINT, signal.default_int_handler)


STUCK = """
import signal, time
from dsa.commands.main import main
from dsa.system.command_line import command

@command
def main(arguments):
    while True:
        try:
            print("ready", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass

raise SystemExit(main())
"""


def test_a_second_ctrl_c_ends_a_process_that_suppresses_the_first():
    process = start("-c", STUCK)
    for _ in range(2):
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
    assert end(process) == (-signal.SIGINT, "")  # 130 in a shell


WORKERS = """
import os, time
from dsa.commands.main import main
from dsa.system.command_line import command
from dsa.system.worker_processes import run_in_processes

def work():
    os.write(1, b"%d\\n" % os.getpid())  # in one piece
    time.sleep(60)

@command
def main(arguments):
    list(run_in_processes(work, [(), ()]))

if __name__ == "__main__":
    raise SystemExit(main())
"""


def test_worker_processes_end_with_their_parent(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_PROCESSES", "2")
    (tmp_path / "workers.py").write_text(WORKERS)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.getcwd()]))
    process = start("-m", "workers")
    workers = [int(process.stdout.readline()) for _ in range(2)]
    assert all(map(is_alive, workers)) and process.pid not in workers
    process.send_signal(signal.SIGINT)
    assert end(process) == (130, "interrupted\n")
    wait_for(lambda: not any(map(is_alive, workers)))


def test_ctrl_c_during_the_imports_of_a_command_is_one_line(monkeypatch, capsys):
    def interrupt(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", interrupt)
    assert main(["list"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


PREDICT = "-m", "dsa.commands", "predict", RUN, "A man.", "A man."


@pytest.fixture(scope="module")
def seconds():
    """Duration of the command with its files in the page cache."""
    assert end(start(*PREDICT))[0] == 0
    began = time.monotonic()
    assert end(start(*PREDICT))[0] == 0
    return time.monotonic() - began


@pytest.mark.exhaustive  # depends on the speed of the machine
@pytest.mark.parametrize("share", [0.35, 0.5, 0.65])
def test_ctrl_c_ends_a_command_after_its_start(seconds, share):
    while (completed := stop_predict(share * seconds)).stdout:
        assert (completed.returncode, completed.stderr) == (0, "")
        share *= 0.8  # it had finished: the machine is less busy than before
    assert (completed.returncode, completed.stderr) == (130, "interrupted\n")


def stop_predict(after):
    process = start(*PREDICT)
    time.sleep(after)
    os.killpg(
        process.pid, signal.SIGINT
    )  # a terminal also sends the signal to the children
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

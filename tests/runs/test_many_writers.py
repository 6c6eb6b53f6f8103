"""Tests of several processes that write to the same run folder."""

import errno
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import dsa
from dsa.errors import BusyError
from dsa.runs import run_folder
from dsa.runs.run_files import remove_temporary_files
from dsa.runs.run_folder import RunFolder
from dsa.system.folder_lock import TRAINING
from tests.support.runs import SMALL_MODEL, write_experiment
from tests.support.stopped_runs import SCHEDULE, assert_equal_ends, train

ENTRIES = """
import sys
from concurrent.futures import ThreadPoolExecutor
from dsa.runs.run_folder import RunFolder

def add(number):
    RunFolder(sys.argv[1]).add_metrics({"split": "dev", "number": number})

with ThreadPoolExecutor(9) as pool:
    list(pool.map(add, range(*map(int, sys.argv[2:]))))
"""


HOLDER = """
import sys, time
from dsa.runs.run_folder import RunFolder
with RunFolder(sys.argv[1]).hold("training"):
    print(flush=True)
    time.sleep(99)
"""


def start(script, *arguments):
    line = [sys.executable, "-c", script, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(line, text=True, **pipes)


def test_no_parallel_evaluation_is_lost(tmp_path):
    """Four processes with nine threads each."""
    processes = [
        start(ENTRIES, tmp_path, first, first + 9) for first in range(0, 36, 9)
    ]
    for process in processes:
        assert process.communicate()[1] == "" and process.returncode == 0
    entries = RunFolder(tmp_path).metrics()
    assert sorted(entry["number"] for entry in entries) == list(range(36))
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EIO])
def test_a_run_in_a_read_only_folder_is_evaluated_without_a_record(
    run_copy, finished, monkeypatch, number
):
    def fail(path, work):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(run_folder, "hold_folder", fail)
    options = {"data_root": finished, "record": False}
    if number != errno.EIO:
        assert dsa.evaluate(run_copy, "dev", **options)["count"] == 11
        options["record"] = True
    with pytest.raises(OSError, match=os.strerror(number)):
        dsa.evaluate(run_copy, "dev", **options)


def test_a_run_in_training_is_busy_for_other_processes(
    run_copy, finished, scripts, capsys
):
    """Only the process of the training can evaluate the run."""
    before = RunFolder(run_copy).metrics()
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(run_copy)], stdout=subprocess.PIPE
    )
    process.stdout.readline()
    arguments = [str(run_copy), "--data-root", str(finished)]
    assert scripts.evaluate.main(arguments) == BusyError.exit_code
    error = capsys.readouterr().err
    assert f"{run_copy}: process {process.pid} on " in error and error.count("\n") == 1
    assert scripts.predict.main([str(run_copy), "a man", "a dog"]) == 0  # only reads
    config = [str(finished / "small.yaml"), "--data-root", str(finished)]
    capsys.readouterr()
    assert (
        scripts.train.main([*config, "--run", str(run_copy), "--resume"])
        == BusyError.exit_code
    )
    assert f"process {process.pid} on " in capsys.readouterr().err
    process.kill()
    process.communicate()
    assert RunFolder(run_copy).metrics() == before
    with RunFolder(run_copy).hold(TRAINING):
        assert scripts.evaluate.main(arguments) == 0
    assert len(RunFolder(run_copy).metrics()) == len(before) + 1


RESUME = '''
import os, sys, time
import psutil
from dsa.errors import InputError
from dsa.runs.run_files import prepare_folder
from dsa.runs.run_folder import RunFolder

run, times = RunFolder(sys.argv[1]), int(sys.argv[2])
inside, busy = run.path.parent / "inside", 0

def is_alive(process):
    try:
        return psutil.Process(int(process)).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

def enter():
    """Fails if another living process is inside."""
    end = time.monotonic() + 5  # a killed process ends with a delay
    while inside.exists() and is_alive(inside.read_text() or "0"):
        assert time.monotonic() < end, f"{inside.read_text()} also writes"
        time.sleep(0.01)
    inside.write_text(str(os.getpid()))

ready = f"ready-{sys.argv[3]}-"  # the processes of a round begin together
(run.path.parent / f"{ready}{os.getpid()}").touch()
end = time.monotonic() + 5  # the other one may be killed before
while len(list(run.path.parent.glob(f"{ready}*"))) < 2 and time.monotonic() < end:
    time.sleep(0.001)
for _ in range(times):
    try:
        with run.hold("training"):
            enter()
            try:
                if not run.is_started():
                    prepare_folder(run.path)
                    run.write("config.yaml", "seed: 13\\n")
                for _ in range(3):
                    run.write("best.weights.h5", os.urandom(9999).hex())
                    run.write("history.csv", "a\\n")
            finally:
                assert inside.read_text() == str(os.getpid())
                inside.unlink()
    except InputError as error:
        assert "is writing to it" in str(error), error
        busy += 1
print(busy)
'''


@pytest.mark.slow
def test_at_most_one_of_two_resuming_processes_writes(tmp_path):
    """Each resumes 80 times, in rounds of 20; every second round kills one process."""
    draw, run, busy = random.Random(1), RunFolder(tmp_path / "run"), 0
    for number in range(4):
        processes = [start(RESUME, run.path, 20, number) for _ in range(2)]
        if number % 2:
            while not run.is_started():
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 2))
            killed = draw.choice(processes)
            killed.kill()
            killed.wait()
        for process in processes:
            output, error = process.communicate()
            assert process.returncode == 0 or process is killed, error
            busy += int(output or 0)
    assert 0 < busy < 160
    with run.hold(TRAINING):
        remove_temporary_files(run.path)
    names = {path.name for path in run.path.iterdir()}
    assert names == {*("config.yaml", "best.weights.h5", "history.csv", "state")}


@pytest.mark.slow
def test_two_parallel_trainings_of_a_folder_equal_one_training(tmp_path):
    config = write_experiment(tmp_path, model=SMALL_MODEL, training=SCHEDULE)
    whole = RunFolder(tmp_path / "whole")
    assert train("never", "-", config, whole.path)[0] == 0
    for number in range(2):
        run = RunFolder(tmp_path / f"shared-{number}")
        if number:  # stopped before its end
            train("kill-step", 8, config, run.path)
        command = ("never", "-", config, run.path, "--resume")
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(train, *command) for _ in range(2)]
        ends = [job.result() for job in jobs]
        codes = sorted(code for code, _ in ends)
        assert codes in ([0, 0], [0, BusyError.exit_code]), ends
        for code, error in ends:
            if code:
                last = error.strip().splitlines()[-1]
                assert last.startswith(f"error: {run.path}: process ")
        assert_equal_ends(whole, run, arrays=10)
        assert run.is_verified()
        run.check_files()
        entries = json.loads(run.read("metrics.json"))["evaluations"]
        assert len(entries) == codes.count(0)

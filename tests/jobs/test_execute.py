"""Tests of skipping, running, retrying and awaiting jobs on this machine."""

import dataclasses
import functools
import logging
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from dsa.jobs import execute as module
from dsa.jobs.execute import JobsFailed, describe_seconds, execute
from dsa.jobs.job import Needs
from dsa.jobs.job_process import count_cores
from dsa.jobs.local import ONE_BY_ONE, LocalExecutor, PrintingExecutor
from tests.support.processes import is_alive, wait_for
from tests.support.small_jobs import count_starts, make_job, read_processes

DRIVER = """
import pathlib, signal, sys
from dsa.system.command_line import command
from dsa.jobs import execute as module
from dsa.jobs.execute import execute
from dsa.jobs.local import LocalExecutor
from tests.support.small_jobs import make_job

module.MIN_PAUSE = 0.2
signal.signal(signal.SIGINT, signal.default_int_handler)
folder, workers, how = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]

@command
def main(arguments):
    jobs = [make_job(folder, name, *how) for name in ("a", "b", "c")]
    execute(jobs, LocalExecutor(workers), folder / "logs")

raise SystemExit(main([]))
"""


@pytest.fixture(autouse=True)
def lines(caplog, monkeypatch):
    """Returns a function that lists the messages; pauses are short."""
    monkeypatch.setattr(module, "MIN_PAUSE", 0.1)
    monkeypatch.setattr(module, "MAX_PAUSE", 0.3)
    monkeypatch.setattr(module, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    caplog.set_level(logging.INFO, "dsa")
    return lambda: [record.getMessage() for record in caplog.records]


def start_driver(folder, workers, *how, **options):
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(folder), str(workers), *map(str, how)],
        env={**os.environ, "PYTHONPATH": "."},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


def test_jobs_run_in_order_with_a_log_line_each(tmp_path, lines, capfd):
    jobs = [make_job(tmp_path, name) for name in ("b", "a")]
    assert execute(jobs, ONE_BY_ONE, tmp_path / "logs") is True
    messages = lines()
    assert messages[0] == "started: b" and messages[2] == "started: a"
    assert re.fullmatch(r"1 of 2 done: b, (\d+ s); about \1 left", messages[1])
    assert re.fullmatch(r"2 of 2 done: a, \d+ s", messages[3])
    assert messages[4].startswith("all jobs are finished (2), in ")
    assert capfd.readouterr().out == "b has started\na has started\n"
    assert not (tmp_path / "logs").exists()


def test_the_time_left_follows_the_estimates_of_the_jobs(tmp_path, lines):
    job, later, last = (make_job(tmp_path, name) for name in "abc")
    job = dataclasses.replace(job, seconds=1e-6)  # an underestimate
    later = dataclasses.replace(later, seconds=10)
    execute([job, later, last], ONE_BY_ONE, tmp_path / "logs")
    first, second, third = (line for line in lines() if " done: " in line)
    hours = int(re.search(r"about (\d+) h \d+ min left", first)[1])
    assert hours > 0  # ten million times as long as the first job
    assert second.endswith(" left") and third.endswith(" s")


def test_a_job_that_needs_no_device_runs_beside_the_job_on_a_gpu(tmp_path, lines):
    network = make_job(tmp_path, "go")
    waits = make_job(tmp_path, "b", "wait")  # until `go` has run
    linear = dataclasses.replace(waits, needs_device=False)
    last = make_job(tmp_path, "c")
    executor = LocalExecutor(has_gpu=True)
    execute([linear, network, last], executor, tmp_path / "logs")
    started = [line for line in lines() if line.startswith("started")]
    (log,) = (tmp_path / "logs").iterdir()
    assert started == [
        f"started: b (output: {log})",
        "started: go",
        "started: c",
    ]
    assert log.read_text().endswith("b has started\n")


def test_finished_jobs_are_skipped(tmp_path, lines):
    (tmp_path / "a").write_text("")
    jobs = [make_job(tmp_path, name) for name in ("a", "b")]
    execute(jobs, ONE_BY_ONE, tmp_path / "logs")
    assert [count_starts(tmp_path, name) for name in ("a", "b")] == [0, 1]
    assert lines()[0] == "1 of 2 already finished: a"


def test_without_jobs_nothing_is_logged(tmp_path, lines):
    assert execute([], ONE_BY_ONE, tmp_path / "logs") is True
    assert lines() == []


def test_parallel_jobs_have_a_log_each(tmp_path, lines, capfd):
    waiting = [make_job(tmp_path, name, "wait") for name in ("a", "b")]
    last = make_job(tmp_path, "c")
    go = make_job(tmp_path, "go")
    execute([*waiting, go, last], LocalExecutor(3), tmp_path / "logs")
    assert capfd.readouterr().out == ""
    logs = sorted((tmp_path / "logs").iterdir())
    assert [log.name.split("-")[0] for log in logs] == ["a", "b", "c", "go"]
    assert "small_job" in logs[0].read_text()
    assert logs[0].read_text().endswith("a has started\n")
    assert lines()[0] == f"started: a (output: {logs[0]})"


def test_parallel_jobs_divide_the_cores(tmp_path, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for name, executor in (
        ("one", ONE_BY_ONE),
        ("two", LocalExecutor(2)),
        ("set", LocalExecutor(1, Needs(cores=7))),
    ):
        execute([make_job(tmp_path, name)], executor, tmp_path / "logs")
    assert (tmp_path / "one").read_text() == "free"
    assert (tmp_path / "two").read_text() == str(max(count_cores() // 2, 1))
    assert (tmp_path / "set").read_text() == "7"
    monkeypatch.setenv("OMP_NUM_THREADS", "5")  # set by the user
    execute([make_job(tmp_path, "own")], LocalExecutor(2), tmp_path / "logs")
    assert (tmp_path / "own").read_text() == "5"


def test_a_killed_job_is_retried(tmp_path, lines):
    jobs = [make_job(tmp_path, "a", "die", 2), make_job(tmp_path, "b")]
    execute(jobs, LocalExecutor(2), tmp_path / "logs")
    assert count_starts(tmp_path, "a") == 3
    retries = [line for line in lines() if "retrying" in line]
    assert len(retries) == 2 and "was ended by SIGKILL; retrying" in retries[0]


def test_a_job_is_retried_at_most_three_times(tmp_path):
    jobs = [make_job(tmp_path, "a", "die", 99)]
    with pytest.raises(JobsFailed, match="was ended by SIGKILL"):
        execute(jobs, ONE_BY_ONE, tmp_path / "logs")
    assert count_starts(tmp_path, "a") == 4


def test_a_failed_job_is_not_retried_and_reported_at_the_end(tmp_path):
    how = {"a": "fail", "b": "done", "c": "bug", "d": "done"}
    jobs = [make_job(tmp_path, name, *rest) for name, *rest in how.items()]
    with pytest.raises(JobsFailed) as failed:
        execute(jobs, LocalExecutor(2), tmp_path / "logs")
    first, *others = str(failed.value).split("\n")
    assert first == "2 of 4 jobs failed"
    first_failure, second_failure = sorted(others)
    assert (
        first_failure.startswith("a: ")
        and "stopped with exit code 2 (see" in first_failure
    )
    assert first_failure.endswith(": a: told to fail")  # the last line of its log
    assert second_failure.startswith("c: ") and "exit code 1" in second_failure
    assert [count_starts(tmp_path, name) for name in how] == [1, 1, 1, 1]


def test_with_one_worker_the_first_failure_ends_the_execution(tmp_path):
    jobs = [make_job(tmp_path, "a", "fail"), make_job(tmp_path, "b")]
    with pytest.raises(JobsFailed, match="stopped with exit code 2 .see above.$"):
        execute(jobs, ONE_BY_ONE, tmp_path / "logs")
    assert count_starts(tmp_path, "b") == 0


def test_a_command_without_its_output_has_failed(tmp_path):
    job = make_job(tmp_path, "a")
    (tmp_path / "b").mkdir()
    other = type(job)("b", job.command, tmp_path / "b", lambda: False, job.module)
    with pytest.raises(JobsFailed, match="b was finished with data that"):
        execute([other], ONE_BY_ONE, tmp_path / "logs")


def test_a_job_waits_for_another_process(tmp_path, lines):
    states = iter([False, False, True])  # another process finishes it
    job = make_job(tmp_path, "a", "busy")
    job = type(job)("a", job.command, job.output, states.__next__, job.module)
    jobs = [job, make_job(tmp_path, "b")]
    execute(jobs, LocalExecutor(2), tmp_path / "logs")
    assert count_starts(tmp_path, "a") == 2
    messages = lines()
    assert messages.count("a waits for another process: a: told to busy") == 2
    assert "2 of 2 already finished: a" in messages


def test_an_interrupted_job_interrupts_all_jobs(tmp_path):
    jobs = [make_job(tmp_path, "a", "interrupt"), make_job(tmp_path, "b", "sleep", 60)]
    with pytest.raises(KeyboardInterrupt):
        execute(jobs, LocalExecutor(2), tmp_path / "logs")
    assert not any(map(is_alive, read_processes(tmp_path)))


def test_ctrl_c_ends_the_jobs(tmp_path):
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        driver = start_driver(folder, workers, "sleep", 60)
        wait_for(lambda: len(read_processes(folder)) == workers)  # noqa: B023
        driver.send_signal(signal.SIGINT)
        output, _ = driver.communicate()
        assert driver.returncode == 130 and output.endswith("interrupted\n")
        assert not any(map(is_alive, read_processes(folder)))
        assert len(read_processes(folder)) == workers


def test_ctrl_c_in_a_terminal_lets_the_jobs_clean_up(tmp_path):
    driver = start_driver(tmp_path, 2, "clean", 0.5, start_new_session=True)
    wait_for(lambda: len(read_processes(tmp_path)) == 2)
    os.killpg(driver.pid, signal.SIGINT)  # as a terminal does
    driver.communicate()
    assert driver.returncode == 130
    assert {file.stem for file in tmp_path.glob("*.cleaned")} == {"a", "b"}


@pytest.mark.skipif(sys.platform != "linux", reason="requires Linux")
def test_jobs_end_with_a_killed_driver_and_the_next_driver_resumes(tmp_path):
    driver = start_driver(tmp_path, 2, "wait")
    wait_for(lambda: len(read_processes(tmp_path)) == 2)
    driver.kill()
    driver.communicate()
    wait_for(lambda: not any(map(is_alive, read_processes(tmp_path))))
    (tmp_path / "go").write_text("")
    (tmp_path / "a").write_text("")  # a finished job
    driver = start_driver(tmp_path, 2, "wait")
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    assert [count_starts(tmp_path, name) for name in "abc"] == [1, 2, 1]


def test_two_parallel_sweeps_run_each_job_once(tmp_path):
    drivers = [start_driver(tmp_path, 2, "hold", 1) for _ in range(2)]
    outputs = [driver.communicate()[0] for driver in drivers]
    assert [driver.returncode for driver in drivers] == [0, 0], outputs
    assert [count_starts(tmp_path, name) for name in "abc"] == [1, 1, 1]
    waited = "".join(outputs).count(" waits for another process: ")
    assert waited and "is writing to it (training, since" in "".join(outputs)


def test_printed_lines_run_in_a_shell(tmp_path, capsys):
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    (folder / "a").write_text("")
    jobs = [make_job(folder, name) for name in ("a", "b $HOME", "c")]
    assert execute(jobs, PrintingExecutor(), tmp_path / "logs") is False
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 2  # a is finished
    script = tmp_path / "jobs.txt"
    script.write_text(printed)
    environment = {**os.environ, "PYTHONPATH": "."}
    subprocess.run(["sh", "-e", script], check=True, env=environment)
    assert [count_starts(folder, name) for name in ("a", "b $HOME", "c")] == [0, 1, 1]
    task = "sed -n 2p jobs.txt"  # as in a task of an array
    line = subprocess.check_output(["sh", "-c", task], cwd=tmp_path, text=True)
    assert line == printed.splitlines(keepends=True)[1]


def test_printed_lines_import_this_package_from_any_folder(tmp_path):
    checkout, elsewhere = tmp_path / "a checkout", tmp_path / "elsewhere"
    shutil.copytree("dsa", checkout / "dsa", ignore=shutil.ignore_patterns("__pyc*"))
    (checkout / "dsa" / "where.py").write_text("print(__file__)")
    (elsewhere / "dsa").mkdir(parents=True)
    (elsewhere / "dsa" / "__init__.py").write_text("raise SystemExit(1)")
    text = (
        "from dsa.jobs.job import Job; from dsa.jobs.local import PrintingExecutor\n"
        "PrintingExecutor().start(Job('', (), None, None, module='dsa.where'))"
    )
    none = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    read = functools.partial(subprocess.check_output, text=True)
    python = [sys.executable, "-c", text]
    line = read(python, cwd=checkout, env={**none, "PYTHONPATH": "."})
    path = read(["sh", "-c", line], cwd=elsewhere, env=none)
    assert path == f"{checkout / 'dsa' / 'where.py'}\n"


@pytest.mark.parametrize(
    "seconds, text",
    [(0.4, "0 s"), (59, "59 s"), (725, "12 min"), (11_100, "3 h 5 min")],
)
def test_durations_are_rounded(seconds, text):
    assert describe_seconds(seconds) == text


def test_running_jobs_are_completed_after_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr("dsa.jobs.local.GRACE_SECONDS", 0)
    failing = dataclasses.replace(make_job(tmp_path, "a", "fail"), needs_device=False)
    jobs = [failing, make_job(tmp_path, "b", "sleep", 2), make_job(tmp_path, "c")]
    with pytest.raises(JobsFailed, match="a: .* stopped with exit code 2"):
        execute(jobs, LocalExecutor(has_gpu=True), tmp_path / "logs")
    assert (tmp_path / "b").exists()  # it has run to its end
    assert count_starts(tmp_path, "c") == 0

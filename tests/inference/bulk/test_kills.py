"""Processes of a bulk inference are killed; the same command completes the results."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import dsa
from tests.support.small_bulk import encode, write_texts

DRIVER = """
import signal
import sys
from dsa.jobs.local import LocalExecutor, PrintingExecutor
from dsa.system.command_line import command
from tests.support.small_bulk import make_inference

@command
def main(arguments):
    folder, out, workers = arguments
    executor = LocalExecutor(int(workers)) if int(workers) else PrintingExecutor()
    make_inference(folder, out=out, shard_rows=10).compute(executor, jobs=2)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": "."}


@pytest.mark.parametrize("output", ["vectors", "predictions"])
def test_a_kill_at_any_change_to_the_disk_loses_nothing(output, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.killed_bulk", str(tmp_path), output],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.splitlines()[-1]) > 12  # kills


def start_driver(folder, out, workers=2, pause="0.2"):
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(folder), out, str(workers)],
        env={**ENVIRONMENT, "DSA_PAUSE": pause},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def list_children(process):
    path = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        return [int(number) for number in path.read_text().split()]
    except FileNotFoundError:
        return []


def wait_for_new_shards(folder, count, driver):
    before = len(list(folder.glob("part-*")))
    while len(list(folder.glob("part-*"))) < before + count:
        assert driver.poll() is None
        time.sleep(0.02)


def write_rows(folder, count):
    texts = [f"a man number {n}" for n in range(count)]
    write_texts(folder / "rows.txt", texts)
    return texts


def check_result(driver, folder, texts):
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    np.testing.assert_array_equal(dsa.open_vectors(folder), encode(texts))
    assert not list(folder.glob("tmp.*")) and not (folder / "unfinished").exists()
    return output


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_killed_drivers_and_workers_are_resumed(tmp_path):
    texts, draw = write_rows(tmp_path, 400), random.Random(5)
    for _ in range(6):
        driver = start_driver(tmp_path, "out")
        wait_for_new_shards(tmp_path / "out", draw.randint(0, 2), driver)
        time.sleep(draw.uniform(0, 0.2))  # a shard takes 0.2 s
        children = list_children(driver)
        if children and draw.random() < 0.5:
            os.kill(draw.choice(children), signal.SIGKILL)
            time.sleep(draw.uniform(0, 0.2))
        assert driver.poll() is None
        driver.kill()
        driver.communicate()
    check_result(start_driver(tmp_path, "out"), tmp_path / "out", texts)


@pytest.mark.slow
def test_a_killed_worker_is_restarted_by_its_driver(tmp_path):
    texts = write_rows(tmp_path, 60)
    driver = start_driver(tmp_path, "out")
    wait_for_new_shards(tmp_path / "out", 1, driver)
    os.kill(list_children(driver)[0], signal.SIGKILL)
    assert "SIGKILL" in check_result(driver, tmp_path / "out", texts)


@pytest.mark.slow
def test_an_interrupted_driver_is_resumed(tmp_path):
    texts = write_rows(tmp_path, 60)
    driver = start_driver(tmp_path, "out", workers=1)
    wait_for_new_shards(tmp_path / "out", 1, driver)
    driver.send_signal(signal.SIGINT)
    output, _ = driver.communicate()
    assert driver.returncode == 130 and output.endswith("interrupted\n")
    check_result(start_driver(tmp_path, "out"), tmp_path / "out", texts)


@pytest.mark.slow
def test_printed_commands_compute_the_shards_in_a_shell(tmp_path):
    texts = write_rows(tmp_path, 35)
    driver = start_driver(tmp_path, "out", workers=0)
    lines = driver.communicate()[0].splitlines(True)
    commands = [line for line in lines if " -m " in line]
    assert driver.returncode == 0 and len(commands) == 2
    subprocess.run(["sh", "-ec", "".join(commands)], check=True, env=ENVIRONMENT)
    last = start_driver(tmp_path, "out", workers=0)
    assert " -m " not in check_result(last, tmp_path / "out", texts)

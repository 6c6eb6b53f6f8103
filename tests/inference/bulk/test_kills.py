"""Whatever is killed and whenever, the result has the same bytes."""

import json
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
from tests.support.small_bulk import RUN, encode

DRIVER = """
import signal
import sys
from dsa.commands.encode import main
from tests.support.small_bulk import use_small_model

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job has none
use_small_model()
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("what", ["vectors", "predictions"])
def test_every_change_of_the_disk_can_be_the_last(what, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.killed_bulk", str(tmp_path), what],
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.splitlines()[-1]) > 30  # moments


def start_driver(folder, out, *further, pause="0.2"):
    arguments = [RUN, "--file", str(folder / "rows.txt"), "--out", str(folder / out)]
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, *arguments, "--shard-rows", "10", *further],
        env={**os.environ, "PYTHONPATH": ".", "DSA_PAUSE": pause},
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


def list_shards(folder):
    return list((folder / "work").glob("[0-9]*-*"))


def wait_for_new_shards(folder, count, driver):
    before = len(list_shards(folder))
    while len(list_shards(folder)) < before + count:
        assert driver.poll() is None
        time.sleep(0.02)


def read_folder(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def write_input(folder, rows):
    texts = [f"a man number {n}" for n in range(rows)]
    (folder / "rows.txt").write_text("".join(f"{text}\n" for text in texts))
    return texts


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for children in /proc")
def test_drivers_and_workers_that_are_killed_end_with_the_same_bytes(tmp_path):
    texts = write_input(tmp_path, 400)
    whole = start_driver(tmp_path, "whole", "--workers", "2")
    output, _ = whole.communicate()
    assert whole.returncode == 0, output
    np.testing.assert_array_equal(dsa.open_vectors(tmp_path / "whole"), encode(texts))
    draw, killed_workers = random.Random(5), 0
    for _ in range(8):
        driver = start_driver(tmp_path, "killed", "--workers", "2")
        wait_for_new_shards(tmp_path / "killed", draw.randint(0, 2), driver)
        time.sleep(draw.uniform(0, 0.2))  # a shard takes 0.2 s
        children = list_children(driver)
        if children and draw.random() < 0.5:
            os.kill(draw.choice(children), signal.SIGKILL)
            killed_workers += 1
            time.sleep(draw.uniform(0, 0.2))
        assert driver.poll() is None
        driver.kill()
        driver.communicate()
    assert killed_workers > 1
    driver = start_driver(tmp_path, "killed", "--workers", "2")
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    assert read_folder(tmp_path / "killed") == read_folder(tmp_path / "whole")


@pytest.mark.slow
def test_a_killed_worker_is_started_again_by_its_driver(tmp_path):
    texts = write_input(tmp_path, 60)
    driver = start_driver(tmp_path, "out", "--workers", "2")
    wait_for_new_shards(tmp_path / "out", 1, driver)
    os.kill(list_children(driver)[0], signal.SIGKILL)
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    assert "was ended by SIGKILL, it is tried again" in output
    np.testing.assert_array_equal(dsa.open_vectors(tmp_path / "out"), encode(texts))


@pytest.mark.slow
def test_a_second_driver_is_told_who_is_at_work(tmp_path):
    write_input(tmp_path, 60)
    first = start_driver(tmp_path, "out", pause="3")  # the second one starts meanwhile
    wait_for_new_shards(tmp_path / "out", 1, first)
    second = start_driver(tmp_path, "out")
    output, _ = second.communicate()
    assert second.returncode == 75
    assert f"process {first.pid} on " in output and "(bulk work, since" in output
    first.send_signal(signal.SIGINT)
    output, _ = first.communicate()
    assert first.returncode == 130 and output.endswith("interrupted\n")
    last = start_driver(tmp_path, "out")
    output, _ = last.communicate()
    assert last.returncode == 0, output


@pytest.mark.slow
def test_printed_commands_do_the_work_in_a_shell(tmp_path):
    texts = write_input(tmp_path, 35)
    how = ["--executor", "print", "--jobs", "2"]
    driver = start_driver(tmp_path, "out", *how)
    printed = "".join(
        line for line in driver.communicate()[0].splitlines(True) if " -m " in line
    )
    assert driver.returncode == 0 and printed.count("\n") == 2
    (tmp_path / "jobs.txt").write_text(printed)
    environment = {**os.environ, "PYTHONPATH": "."}
    subprocess.run(["sh", "-e", tmp_path / "jobs.txt"], check=True, env=environment)
    assert not (tmp_path / "out/manifest.json").exists()
    last = start_driver(tmp_path, "out", *how)
    assert last.wait() == 0
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["rows"] == 35
    np.testing.assert_array_equal(dsa.open_vectors(tmp_path / "out"), encode(texts))

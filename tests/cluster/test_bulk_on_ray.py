"""Bulk work on a Ray cluster of this machine, of which a node is removed and whose
driver is killed: the result has the same bytes.

`make test-cluster` runs this in an environment of its own; without Ray it is skipped.
"""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-cluster")

import dsa
from dsa.hub.fetching import find_run_folder
from dsa.inference.bulk.bulk_work import BulkWork
from dsa.inference.bulk.shards import VECTORS
from dsa.jobs.ray_cluster import RayExecutor
from tests.support.killed_bulk import InThisProcess
from tests.support.processes import wait_for
from tests.support.small_bulk import RUN, encode, load_small_model

ROWS = 120
DRIVER = """
import sys
from dsa.commands.encode import main
from tests.support.small_bulk import use_small_model

use_small_model()
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.fixture
def undisturbed(tmp_path, monkeypatch):
    """The files of a result that nobody has disturbed."""
    from dsa.inference.bulk import worker

    texts = [f"a man number {n}" for n in range(ROWS)]
    (tmp_path / "rows.txt").write_text("".join(f"{text}\n" for text in texts))
    with monkeypatch.context() as patch:
        patch.setattr(worker, "load_model", load_small_model)
        make_work(tmp_path, "whole").do(InThisProcess())
    np.testing.assert_array_equal(dsa.open_vectors(tmp_path / "whole"), encode(texts))
    return read_folder(tmp_path / "whole")


def make_work(folder, out):
    file = str(folder / "rows.txt")
    return BulkWork(VECTORS, find_run_folder(RUN), file, folder / out, 4)


def read_folder(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def count_shards(out):
    return len(list(out.glob("work/[0-9]*-*")))


def test_a_lost_node_changes_no_byte(
    cluster, nodes, connect_from_head, undisturbed, tmp_path, monkeypatch
):
    from dsa.inference.bulk import bulk_work

    monkeypatch.setattr(bulk_work, "MODULE", "tests.support.small_bulk")
    monkeypatch.setenv("DSA_PAUSE", "0.2")

    def remove_node():
        wait_for(lambda: count_shards(tmp_path / "out") >= 3)
        cluster.remove_node(nodes[0], allow_graceful=False)

    thread = threading.Thread(target=remove_node)
    thread.start()
    make_work(tmp_path, "out").do(RayExecutor(cluster.address), jobs=4)
    thread.join()
    assert nodes[0] not in cluster.worker_nodes
    assert read_folder(tmp_path / "out") == undisturbed


def test_a_killed_driver_is_resumed(cluster, nodes, undisturbed, tmp_path):
    def start():
        arguments = [RUN, "--file", str(tmp_path / "rows.txt"), "--shard-rows", "4"]
        arguments += ["--out", str(tmp_path / "out"), "--executor", "ray"]
        arguments += ["--address", cluster.address, "--jobs", "4"]
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, *arguments],
            env={**os.environ, "DSA_PAUSE": "0.2"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    driver = start()
    wait_for(lambda: count_shards(tmp_path / "out") >= 3)
    driver.kill()
    driver.communicate()
    results = (tmp_path / "out/work").glob("[0-9]*-*")
    before = {path: path.stat().st_mtime_ns for path in results}
    driver = start()
    seen = dict(before)  # what was finished is not computed again
    while driver.poll() is None:
        for path in before:
            try:
                seen[path] = max(seen[path], path.stat().st_mtime_ns)
            except FileNotFoundError:
                break
        time.sleep(0.05)
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    assert seen == before
    assert read_folder(tmp_path / "out") == undisturbed

"""Tests of bulk inference on a Ray cluster that loses a node or its driver.

They are skipped without Ray; `make test-cluster` installs Ray and runs them.
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
from dsa.jobs.ray_cluster import RayExecutor
from tests.support.processes import wait_for
from tests.support.small_bulk import encode, make_inference, write_texts

TEXTS = [f"a man number {n}" for n in range(120)]
DRIVER = """
import sys
from dsa.jobs.ray_cluster import RayExecutor
from tests.support.small_bulk import make_inference

folder, address = sys.argv[1:]
make_inference(folder, shard_rows=4).compute(RayExecutor(address), jobs=4)
"""


def list_shards(folder):
    return sorted((folder / "out").glob("part-*"))


def check_vectors(folder):
    np.testing.assert_array_equal(dsa.open_vectors(folder / "out"), encode(TEXTS))


def test_a_lost_node_does_not_change_vectors(
    cluster, nodes, connect_from_head, tmp_path, monkeypatch
):
    monkeypatch.setenv("DSA_PAUSE", "0.2")
    write_texts(tmp_path / "rows.txt", TEXTS)

    def remove_node():
        wait_for(lambda: len(list_shards(tmp_path)) >= 3)
        cluster.remove_node(nodes[0], allow_graceful=False)

    thread = threading.Thread(target=remove_node)
    thread.start()
    inference = make_inference(tmp_path, shard_rows=4)
    inference.compute(RayExecutor(cluster.address), jobs=4)
    thread.join()
    assert nodes[0] not in cluster.worker_nodes
    check_vectors(tmp_path)


def test_a_killed_driver_can_be_resumed(cluster, nodes, tmp_path):
    write_texts(tmp_path / "rows.txt", TEXTS)

    def start():
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(tmp_path), cluster.address],
            env={**os.environ, "DSA_PAUSE": "0.2"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    driver = start()
    wait_for(lambda: len(list_shards(tmp_path)) >= 3)
    driver.kill()
    driver.communicate()
    time.sleep(1)  # its jobs end with it
    before = {path: path.stat().st_mtime_ns for path in list_shards(tmp_path)}
    driver = start()
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    after = {path: path.stat().st_mtime_ns for path in before}
    assert after == before  # finished shards are not computed again
    check_vectors(tmp_path)

"""Tests of jobs on a Ray cluster with two nodes of one core each.

They are skipped without Ray; `make test-cluster` installs Ray and runs them.
"""

import signal
import threading

import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-cluster")

from dsa.errors import InputError
from dsa.jobs.execute import JobsFailed, execute
from dsa.jobs.job import Needs
from dsa.jobs.ray_cluster import RayExecutor
from tests.support.processes import is_alive, wait_for
from tests.support.small_jobs import (
    count_starts,
    make_job,
    read_processes,
    start_driver,
)


@pytest.fixture
def executor(cluster, connect_from_head):
    return lambda needs=None: RayExecutor(cluster.address, needs)


def test_jobs_run_on_both_nodes_and_failures_are_reported(nodes, executor, tmp_path):
    how = {"a": "wait", "b": "wait", "go": "done", "bad": "fail"}
    (tmp_path / "go").write_text("")
    jobs = [make_job(tmp_path, name, kind) for name, kind in how.items()]
    with pytest.raises(JobsFailed) as failed:
        execute(jobs, executor(), tmp_path / "logs")
    first, second = str(failed.value).split("\n")
    assert first == "1 of 4 jobs failed" and second.endswith(": bad: told to fail")
    assert (tmp_path / "a").read_text() == "1"  # threads
    assert [count_starts(tmp_path, name) for name in how] == [1, 1, 0, 1]
    assert not list((tmp_path / "logs").glob(".shared-*"))


def test_killed_jobs_and_jobs_of_a_lost_node_are_retried(
    cluster, nodes, executor, tmp_path
):
    jobs = [make_job(tmp_path, name, "wait") for name in ("a", "b")]
    jobs += [make_job(tmp_path, "c", "die", 2)]

    def remove_node():
        wait_for(lambda: len(read_processes(tmp_path)) == 2)
        cluster.remove_node(nodes[0], allow_graceful=False)
        # its job ends with it
        wait_for(lambda: sum(map(is_alive, read_processes(tmp_path))) == 1)
        (tmp_path / "go").write_text("")

    thread = threading.Thread(target=remove_node)
    thread.start()
    execute(jobs, executor(), tmp_path / "logs")
    thread.join()
    *starts, starts_of_c = (count_starts(tmp_path, name) for name in "abc")
    assert sorted(starts) == [1, 2] and starts_of_c == 3


def test_jobs_end_with_a_killed_driver_and_the_next_driver_resumes(
    cluster, nodes, tmp_path
):
    driver = start_driver(cluster.address, tmp_path, "a=wait", "b=wait", "c=wait")
    wait_for(lambda: len(read_processes(tmp_path)) == 2)
    driver.kill()
    driver.communicate()
    wait_for(lambda: not any(map(is_alive, read_processes(tmp_path))))
    done = "abc"[[count_starts(tmp_path, name) for name in "abc"].index(1)]
    (tmp_path / done).write_text("")  # a finished job
    (tmp_path / "go").write_text("")
    driver = start_driver(cluster.address, tmp_path, "a=wait", "b=wait", "c=wait")
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    assert count_starts(tmp_path, done) == 1
    assert all((tmp_path / name).exists() for name in "abc")


def test_ctrl_c_ends_the_jobs_of_the_cluster(cluster, nodes, tmp_path):
    driver = start_driver(cluster.address, tmp_path, "a=wait", "b=wait", "c=wait")
    wait_for(lambda: len(read_processes(tmp_path)) == 2)
    driver.send_signal(signal.SIGINT)
    output, _ = driver.communicate()
    assert driver.returncode == 130 and output.endswith("interrupted\n"), output
    wait_for(lambda: not any(map(is_alive, read_processes(tmp_path))))


def test_a_job_without_access_to_the_shared_folder_fails_with_one_line(
    nodes, executor, tmp_path, monkeypatch
):
    monkeypatch.setattr("pathlib.Path.write_text", lambda *_: None)  # the token
    with pytest.raises(JobsFailed) as failed:
        execute([make_job(tmp_path, "a")], executor(), tmp_path / "logs")
    _, line = str(failed.value).split("\n")
    assert line.startswith("a: machine ")
    assert line.endswith(f"cannot access {tmp_path / 'logs'}: share this folder")
    assert count_starts(tmp_path, "a") == 0


def test_needs_that_no_machine_has_are_an_error(nodes, executor, tmp_path):
    jobs = [make_job(tmp_path, "a")]
    with pytest.raises(InputError, match="no machine .* has 2 cores"):
        execute(jobs, executor(Needs(cores=2)), tmp_path / "logs")


def test_an_address_without_a_cluster_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"^--address 127.0.0.9:1: no Ray cluster: "):
        execute(
            [make_job(tmp_path, "a")], RayExecutor("127.0.0.9:1"), tmp_path / "logs"
        )

"""Jobs on a Ray cluster of a head without cores and two nodes with one core each, all
of them on this machine.

`make test-cluster` runs this in an environment of its own; without Ray it is skipped.
"""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-cluster")

from dsa.errors import InputError
from dsa.jobs import ray_cluster
from dsa.jobs.execute import JobsFailed, execute
from dsa.jobs.job import Needs
from dsa.jobs.ray_cluster import RayExecutor
from tests.support.small_jobs import count_starts, make_job

HEAD = "127.0.0.2"
DRIVER = """
import pathlib, signal, sys
from dsa.console.command_line import command
from dsa.jobs.execute import execute
from dsa.jobs.ray_cluster import RayExecutor
from tests.support.small_jobs import make_job

folder = pathlib.Path(sys.argv[1])
# a shell's background job, as these tests may be, would ignore it
signal.signal(signal.SIGINT, signal.default_int_handler)

@command
def main(arguments):
    jobs = [make_job(folder, name, *sys.argv[3:]) for name in ("a", "b", "c")]
    execute(jobs, RayExecutor(sys.argv[2]), folder / "logs")

raise SystemExit(main([]))
"""


@pytest.fixture(scope="module")
def cluster():
    """A `ray.cluster_utils.Cluster`, the head only."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # workers find this package, as they do where it is installed on all machines
    os.environ["PYTHONPATH"] = str(pathlib.Path.cwd())
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    cluster.add_node(num_cpus=0, node_ip_address=HEAD, include_dashboard=False)
    yield cluster
    cluster.shutdown()


@pytest.fixture
def nodes(cluster):
    """Two nodes, which a test may remove."""
    added = [
        cluster.add_node(num_cpus=1, node_ip_address=f"127.0.0.{number}")
        for number in (3, 4)
    ]
    cluster.wait_for_nodes()
    yield added
    for node in added:
        if node in cluster.worker_nodes:
            cluster.remove_node(node)


@pytest.fixture
def executor(cluster, monkeypatch):
    import ray

    connect = ray.init
    monkeypatch.setattr(
        ray,
        "init",
        lambda *args, **named: connect(*args, _node_ip_address=HEAD, **named),
    )
    return lambda needs=None: RayExecutor(cluster.address, needs)


def wait_for(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def read_processes(folder):
    return [int(n) for f in folder.glob("*.starts") for n in f.read_text().split()]


def is_alive(number):
    try:
        state = pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1]
    except FileNotFoundError:
        return False
    return state.split()[0] != "Z"


def start_driver(cluster, folder, *how):
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(folder), cluster.address, *how],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_jobs_run_on_both_nodes_and_failures_are_told(nodes, executor, tmp_path):
    how = {"a": "wait", "b": "wait", "go": "done", "bad": "fail"}
    (tmp_path / "go").write_text("")
    jobs = [make_job(tmp_path, name, kind) for name, kind in how.items()]
    with pytest.raises(JobsFailed) as failed:
        execute(jobs, executor(), tmp_path / "logs")
    first, second = str(failed.value).split("\n")
    assert first == "1 of 4 jobs failed" and second.endswith(": bad: told to fail")
    assert (tmp_path / "a").read_text() == "1"  # threads: those of its core
    assert [count_starts(tmp_path, name) for name in how] == [1, 1, 0, 1]
    assert not list((tmp_path / "logs").glob(".shared-*"))


def test_a_killed_job_and_a_lost_node_are_tried_again(
    cluster, nodes, executor, tmp_path
):
    jobs = [make_job(tmp_path, name, "wait") for name in ("a", "b")]
    jobs += [make_job(tmp_path, "c", "die", 2)]

    def remove_node():
        wait_for(lambda: len(read_processes(tmp_path)) == 2)
        cluster.remove_node(nodes[0], allow_graceful=False)
        # its job dies with it
        wait_for(lambda: sum(map(is_alive, read_processes(tmp_path))) == 1)
        (tmp_path / "go").write_text("")

    thread = threading.Thread(target=remove_node)
    thread.start()
    execute(jobs, executor(), tmp_path / "logs")
    thread.join()
    *starts, of_c = (count_starts(tmp_path, name) for name in "abc")
    assert sorted(starts) == [1, 2] and of_c == 3


def test_a_killed_driver_takes_its_jobs_along_and_the_next_goes_on(
    cluster, nodes, tmp_path
):
    driver = start_driver(cluster, tmp_path, "wait")
    wait_for(lambda: len(read_processes(tmp_path)) == 2)
    driver.kill()
    driver.communicate()
    wait_for(lambda: not any(map(is_alive, read_processes(tmp_path))))
    done = "abc"[[count_starts(tmp_path, name) for name in "abc"].index(1)]
    (tmp_path / done).write_text("")  # it was finished
    (tmp_path / "go").write_text("")
    driver = start_driver(cluster, tmp_path, "wait")
    output, _ = driver.communicate()
    assert driver.returncode == 0, output
    assert count_starts(tmp_path, done) == 1
    assert all((tmp_path / name).exists() for name in "abc")


def test_ctrl_c_ends_the_jobs_of_the_cluster(cluster, nodes, tmp_path):
    driver = start_driver(cluster, tmp_path, "wait")
    wait_for(lambda: len(read_processes(tmp_path)) == 2)
    driver.send_signal(signal.SIGINT)
    output, _ = driver.communicate()
    assert driver.returncode == 130 and output.endswith("interrupted\n"), output
    wait_for(lambda: not any(map(is_alive, read_processes(tmp_path))))


def test_a_folder_that_a_machine_does_not_see_is_refused_at_the_start(
    nodes, executor, tmp_path, monkeypatch
):
    make = ray_cluster._Place
    monkeypatch.setattr(
        ray_cluster,
        "_Place",
        lambda version, folder, token, variables: make(
            version, folder, f"{token}-of-another-machine", variables
        ),
    )
    jobs = [make_job(tmp_path, "a")]
    with pytest.raises(InputError, match="^machine .* does not see .*: share that"):
        execute(jobs, executor(), tmp_path / "logs")
    assert count_starts(tmp_path, "a") == 0


def test_needs_that_no_machine_has_are_refused(nodes, executor, tmp_path):
    jobs = [make_job(tmp_path, "a")]
    with pytest.raises(InputError, match="no machine .* has 2 cores"):
        execute(jobs, executor(Needs(cores=2)), tmp_path / "logs")


def test_an_address_without_a_cluster_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"^--address 127.0.0.9:1: no Ray cluster: "):
        execute(
            [make_job(tmp_path, "a")], RayExecutor("127.0.0.9:1"), tmp_path / "logs"
        )

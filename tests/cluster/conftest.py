"""A Ray cluster of a head without cores and nodes with one core each, all of them on
this machine."""

import os
import pathlib

import pytest

HEAD = "127.0.0.2"


@pytest.fixture(scope="session")
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
    for node in list(cluster.worker_nodes):
        cluster.remove_node(node)


@pytest.fixture
def connect_from_head(monkeypatch):
    """`ray.init` connects from the head's address: this machine has several."""
    import ray

    connect = ray.init
    monkeypatch.setattr(
        ray,
        "init",
        lambda *args, **named: connect(*args, _node_ip_address=HEAD, **named),
    )

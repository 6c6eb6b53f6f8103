"""Fixtures: a Ray cluster on this machine, with a head and nodes of one core."""

import os
import pathlib

import pytest

HEAD = "127.0.0.2"


@pytest.fixture(scope="session")
def cluster():
    """Returns a `ray.cluster_utils.Cluster` with a head only."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # workers import this package, as if it were installed on all machines
    os.environ["PYTHONPATH"] = str(pathlib.Path.cwd())
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    cluster.add_node(num_cpus=0, node_ip_address=HEAD, include_dashboard=False)
    yield cluster
    cluster.shutdown()


@pytest.fixture
def nodes(cluster):
    """Adds two nodes, which a test may remove."""
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
    """Connects `ray.init` from the address of the head, one of several addresses."""
    import ray

    connect = ray.init
    monkeypatch.setattr(
        ray,
        "init",
        lambda *args, **named: connect(*args, _node_ip_address=HEAD, **named),
    )

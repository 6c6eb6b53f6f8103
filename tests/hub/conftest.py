"""A hub on this machine, started before huggingface_hub reads its endpoint."""

import importlib.util
import os
import threading
from pathlib import Path

import pytest

import dsa.hub
from dsa.data.download.archives import unpack
from tests.support.hub_runs import TOKEN
from tests.support.hub_server import serve_hub


@pytest.fixture(autouse=True, scope="session")
def _hub(tmp_path_factory):
    """Starts before a test imports Keras, which imports huggingface_hub."""
    with serve_hub(TOKEN) as hub:
        os.environ["HF_ENDPOINT"] = hub.endpoint
        os.environ["HF_HOME"] = str(tmp_path_factory.mktemp("hf"))
        os.environ["HF_HUB_DISABLE_XET"] = os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
        yield hub


@pytest.fixture
def hub(_hub, monkeypatch):
    """The `Hub`, with the token of its user in the environment."""
    if importlib.util.find_spec("huggingface_hub") is None:
        pytest.skip("the extra `hub` is not installed: make test-hub")
    from huggingface_hub import constants

    if constants.ENDPOINT != _hub.endpoint:
        pytest.skip("huggingface_hub was imported before: make test-hub")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    yield _hub
    _hub.failure, _hub.change_tree = None, list
    _hub.silent = _hub.dripping = _hub.slow_headers = None
    _hub.released.set()  # ends silent requests
    _hub.released = threading.Event()
    _hub.requests.clear()


@pytest.fixture
def run(tmp_path):
    """A copy of the release `mini`."""
    unpack(Path(dsa.hub.__file__).with_name("mini.zip"), tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def name(request):
    """A repository name per test."""
    return f"maria/{abs(hash(request.node.name))}"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))

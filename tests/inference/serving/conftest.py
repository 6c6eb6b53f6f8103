"""The service with a model that needs no Keras."""

import concurrent.futures

import pytest

from tests.support.services import FAKE, GATE, HURRY, run_service


@pytest.fixture(scope="module")
def port():
    with run_service("any", module=FAKE) as (_, port):
        yield port


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """A file: where it is, computations that wait end."""
    monkeypatch.setenv(GATE, str(tmp_path / "gate"))
    return tmp_path / "gate"


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.fixture
def hurried(monkeypatch):
    """A service that gives clients half a second, and its process."""
    monkeypatch.setenv(HURRY, "0.5")
    with run_service("any", module=FAKE) as service:
        yield service

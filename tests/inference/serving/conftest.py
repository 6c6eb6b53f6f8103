"""The service with a model that needs no Keras."""

import concurrent.futures

import pytest

from dsa.inference.serving.batch_queue import BatchQueue
from dsa.inference.serving.bounds import Bounds
from tests.support.fake_model import FakeModel
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


@pytest.fixture
def model():
    return FakeModel()


@pytest.fixture
def start(model):
    """Makes a queue, and closes it after the test."""
    queues = []

    def make(alone=(), **bounds):
        bounds = Bounds(**{"batch_ms": 0, "request_rows": 1, **bounds})
        queues.append(BatchQueue(model, bounds, alone=alone))
        return queues[-1]

    yield make
    model.open.set()
    for queue in queues:
        queue.close()

"""The service with a model without Keras."""

import concurrent.futures

import pytest

from tests.support.services import FAKE, GATE, run_service


@pytest.fixture(scope="module")
def port():
    with run_service("any", module=FAKE) as (_, port):
        yield port


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """A path; blocked computations continue when the file exists."""
    monkeypatch.setenv(GATE, str(tmp_path / "gate"))
    return tmp_path / "gate"


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        yield pool

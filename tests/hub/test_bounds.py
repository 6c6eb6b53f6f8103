"""A hub that accepts and is silent, or sends a byte now and then: `make test-hub`."""

import time

import pytest

from dsa.commands.main import main
from dsa.system import network_bounds
from tests.support.hub_runs import publish


@pytest.fixture(autouse=True)
def _hurried(hub, monkeypatch):
    """Bounds of half a second instead of half a minute."""
    import huggingface_hub
    from huggingface_hub import constants

    for name in ("CONNECT_SECONDS", "SILENT_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(network_bounds, name, 0.5)
    monkeypatch.setattr(network_bounds, "SLOWEST", 10**9)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 1)
    monkeypatch.setattr(constants, "HF_HUB_ETAG_TIMEOUT", 1)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)
    huggingface_hub.close_session()  # the next one has these
    yield
    huggingface_hub.close_session()


@pytest.mark.parametrize("how", ["silent", "dripping"])
@pytest.mark.parametrize("path", ["/revision/", "/tree/"])
def test_a_hub_that_does_not_answer_is_left_with_one_line(
    hub, name, run, tmp_path, capsys, how, path
):
    publish(hub, name, run)
    setattr(hub, how, path)
    began = time.monotonic()
    assert main(["pull", name, "--out", str(tmp_path / "out")]) == 2
    assert time.monotonic() - began < 60
    *_, last = capsys.readouterr().err.splitlines()  # the package tells its retries
    assert last.startswith(f"error: {name}: no answer from {hub.endpoint}")
    assert not (tmp_path / "out").exists()

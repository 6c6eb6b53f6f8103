"""Time limits for a silent or slow hub: `make test-hub`."""

import time

import pytest

from dsa.commands.main import main
from dsa.data.corpora.hub_rows import resolve_revision
from dsa.errors import InputError
from dsa.system import network_bounds
from tests.support.hub_runs import publish


@pytest.fixture(autouse=True)
def _hurried(hub, monkeypatch):
    """Sets limits of half a second instead of half a minute."""
    import huggingface_hub
    from huggingface_hub import constants

    for name in ("CONNECT_TIMEOUT", "READ_TIMEOUT", "RESPONSE_TIMEOUT"):
        monkeypatch.setattr(network_bounds, name, 0.5)
    monkeypatch.setattr(network_bounds, "MIN_RATE", 10**9)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 1)
    monkeypatch.setattr(constants, "HF_HUB_ETAG_TIMEOUT", 1)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)
    huggingface_hub.close_session()  # a new session uses the limits
    yield
    huggingface_hub.close_session()


@pytest.mark.parametrize("how", ["silent", "dripping", "slow_headers"])
@pytest.mark.parametrize("path", ["/revision/", "/tree/"])
def test_a_hub_that_does_not_answer_is_an_error_of_one_line(
    hub, name, run, tmp_path, capsys, how, path
):
    publish(hub, name, run)
    setattr(hub, how, path)
    began = time.monotonic()
    assert main(["pull", name, "--out", str(tmp_path / "out")]) == 2
    assert time.monotonic() - began < 60
    *_, last = capsys.readouterr().err.splitlines()  # huggingface_hub logs its retries
    assert last.startswith(f"error: {name}: no answer from {hub.endpoint}")
    assert not (tmp_path / "out").exists()


def test_a_data_set_whose_headers_arrive_slowly_is_an_error(hub):
    pytest.importorskip("datasets")
    hub.slow_headers = "/datasets/"
    with pytest.raises(InputError, match="timed out after 0.5 seconds"):
        resolve_revision("hf://user/name/train")

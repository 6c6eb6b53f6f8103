"""Limits of the time and the size of a response."""

import time

import pytest

from dsa.data.download import download
from dsa.errors import InputError
from dsa.system import network_bounds
from tests.support.download_server import WAITING, all_files


@pytest.mark.parametrize("path", WAITING)
def test_a_server_that_does_not_go_on_is_left(offer, tmp_path, monkeypatch, path):
    for name in ("READ_TIMEOUT", "RESPONSE_TIMEOUT"):
        monkeypatch.setattr(network_bounds, name, 0.3)
    monkeypatch.setattr(network_bounds, "MIN_RATE", 10**9)
    offer(path)
    began = time.monotonic()
    with pytest.raises(InputError, match=f"{path} could not be downloaded"):
        download.download("x", tmp_path)
    assert time.monotonic() - began < 5
    assert all_files(tmp_path) == []


def test_a_response_longer_than_stated_is_aborted(offer, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "MARGIN_BYTES", 10)
    offer("/good.zip")  # of one byte, it says
    with pytest.raises(InputError, match="must have at most 12 bytes"):
        download.download("x", tmp_path)
    assert all_files(tmp_path) == []

"""Server of downloads, and a fixture that registers one of its files."""

import hashlib
import http.server
import threading

import pytest

from dsa.data.corpora.catalogue import DOWNLOADS
from dsa.data.corpora.corpus import RemoteFile
from tests.support.download_server import FILES, GOOD, Server, offered


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def offer(address, monkeypatch):
    """Make `download("x", ...)` fetch a file of the server."""

    def set_source(path, known=True, **fields):
        content = FILES.get(path, GOOD)
        sha256 = hashlib.sha256(content).hexdigest() if known else None
        whose = "here" if known else None
        source = RemoteFile(address + path, 1, sha256, whose, **fields)
        monkeypatch.setitem(DOWNLOADS, "x", offered(source))
        return source

    return set_source

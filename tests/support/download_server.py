"""HTTP server on the loopback address with valid and damaged files, and stalling
responses."""

import contextlib
import http.server
import threading
import time

from dsa.data.corpora.corpus import Download
from tests.support.archives import tarred, zipped

GOOD = zipped(
    **{
        "snli_1.0/": "",
        "snli_1.0/dev.jsonl": "a\n",
        "snli_1.0/parses/README.txt": "b\n",
        "__MACOSX/snli_1.0/._dev.jsonl": "litter",
        "snli_1.0/Icon\r": "litter",
        "snli_1.0/.DS_Store": "litter",
    }
)
FILES = {
    "/good.zip": GOOD,
    "/escape.zip": zipped(**{"fine.txt": "a", "../outside.txt": "b"}),
    "/absolute.zip": zipped(**{"/tmp/outside.txt": "b"}),
    "/backslash.zip": zipped(**{"..\\outside.txt": "b"}),
    "/damaged.zip": GOOD[:-30],
    "/vectors.zip": zipped(**{"v.txt": "a 1 2\n"}),
    "/plain.label": b"DESC:def What ?\n",
    "/good.tar.gz": tarred(**{"sts/dev.csv": "a\n"}),
    "/escape.tar.gz": tarred(**{"sts/dev.csv": "a", "../outside.txt": "b"}),
    "/cut.tar.gz": tarred(**{"sts/dev.csv": "a" * 5000})[:-40],
    "/latin.all": "1 caf\u00e9\n".encode("latin-1"),
}
LONG_HEADER = b"HTTP/1.1 200 OK\r\nA: " + 600 * b"a"
# path: number of bytes sent at first; `None` for no status line
WAITING = {
    "/silent.zip": None,
    "/stopped.zip": 100,
    "/dripping.zip": 0,
    "/slow_headers.zip": None,
}


class Server(http.server.BaseHTTPRequestHandler):
    slow_request = threading.Event()  # set after a request of `/slow.zip`

    def do_GET(self):
        if self.path == "/slow.zip":
            return self._slow()
        if self.path in WAITING:
            return self._wait(WAITING[self.path])
        cut = self.path == "/cut.zip"
        content = GOOD if cut else FILES.get(self.path)
        if content is None:
            return self.send_error(404)
        self._headers(len(content))
        self.wfile.write(content[: len(content) // 2] if cut else content)

    def _slow(self):
        self.slow_request.set()
        self._headers(10_000)
        for _ in range(100):
            self.wfile.write(b"x" * 10)
            self.wfile.flush()
            time.sleep(0.1)

    def _wait(self, sent):
        """Sends a part of the response, and then nothing or a byte now and then."""
        if sent is not None:
            self._headers(len(GOOD))
            self.wfile.write(GOOD[:sent])
        with contextlib.suppress(ConnectionError):
            for n in range(600):
                time.sleep(0.05)
                if self.path == "/dripping.zip":
                    self.wfile.write(GOOD[n : n + 1])
                if self.path == "/slow_headers.zip":
                    self.wfile.write(LONG_HEADER[n : n + 1])

    def _headers(self, length):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *arguments):
        pass


def offered(source):
    return Download("x", "none", (source,))


def all_files(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in files)

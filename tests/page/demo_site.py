"""The live demonstration of the site behind a local web server."""

import contextlib
import functools
import http.server
import shutil
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/demo"
BUILT = ROOT / "build/demo"  # by `make build/demo/ready`


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A handler of static files without a log."""

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def served_demo(folder):
    """Yields the address of the demonstration, copied into a folder."""
    for source in (PAGE, BUILT):
        shutil.copytree(source, folder, dirs_exist_ok=True)
    handler = functools.partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()

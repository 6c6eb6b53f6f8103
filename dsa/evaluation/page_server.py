"""The page of `dsa.analysis.page`, served to the browsers of this machine."""

import os
import socket

from dsa.errors import InputError
from dsa.storage.folders import data_root

ADDRESS = "127.0.0.1"


def serve_page(folders, port=0, vectors=None, root=None):
    """Serve the page over one or two runs until Ctrl-C, and print its address.

    Args:
        folders: one or two run folders.
        port: 0 for a free one.
        vectors: vector file for words that the runs lack.
        root: data root.

    Raises: `InputError` for more runs, and without the extra `explore`.
    """
    if len(folders) > 2:
        raise InputError(f"one or two runs are shown. Received: {len(folders)}")
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    try:
        import uvicorn

        from dsa.analysis.page import build_application, build_page
    except ImportError as error:
        raise InputError(
            f'the page needs the extra `explore`: pip install -e ".[explore]" ({error})'
        ) from error
    from dsa.evaluation.compared_runs import load_runs

    app = build_application(build_page(load_runs(folders, vectors, data_root(root))))
    with socket.create_server((ADDRESS, port)) as listening:
        address = "http://{}:{}".format(*listening.getsockname())
        print(f"{address} (Ctrl-C stops it)", flush=True)
        config = uvicorn.Config(app, log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])

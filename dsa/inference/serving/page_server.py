"""The page of `dsa.inference.serving.page`, served to the browsers of this machine."""

import os

from dsa.errors import InputError
from dsa.inference.serving.server import listen, run_server

ADDRESS = "127.0.0.1"


def serve_page(compared, port=0):
    """Serve the page over one or two runs until Ctrl-C, and print its address.

    Args:
        compared: one or two runs, as `ComparedRuns`.
        port: 0 for a free one.

    Raises: `InputError` for more runs, for a port in use, and without the extra
        `explore`.
    """
    count = len(compared.folders)
    if count > 2:
        raise InputError(f"one or two runs are shown. Received: {count}")
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    try:
        from dsa.inference.serving.page import build_application, build_page
    except ImportError as error:
        raise InputError(
            f'the page needs the extra `explore`: pip install -e ".[explore]" ({error})'
        ) from error
    with listen(ADDRESS, port) as listening:
        run_server(build_application(build_page(compared.load())), listening)

"""Serve a local web page that shows what one or two runs look at in a pair.

    pip install -e ".[explore]"
    python scripts/explore.py runs/snli/dsa/seed-13
    python scripts/explore.py runs/snli/dsa/seed-13 runs/snli/dsa_no_distance/seed-13

Type a premise and a hypothesis (a sentence, for a run on single ones): the page shows
probabilities, attention maps by direction and head, and gates and pooling weights as
coloured words. It listens on 127.0.0.1 alone and sends nothing anywhere. Ctrl-C stops
it.
"""

import argparse
import os
import socket

from dsa.command_line import command
from dsa.errors import InputError
from dsa.storage.folders import data_root


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="one or two run folders")
    parser.add_argument("--port", type=_port, default=7860, help="0: a free one")
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--vectors", help="vector file for words the runs lack")
    options = parser.parse_args(arguments)
    if len(options.runs) > 2:
        raise InputError(f"one or two runs are shown. Received: {len(options.runs)}")

    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    try:
        import uvicorn

        from dsa.analysis.page import application, build_page
    except ImportError as error:
        raise InputError(
            f'the page needs the extra `explore`: pip install -e ".[explore]" ({error})'
        ) from error
    from dsa.analysis.run_names import refuse_other_tasks, run_names
    from dsa.inference.loading import load

    root = data_root(options.data_root)
    trained = [load(run, options.vectors, root) for run in options.runs]
    refuse_other_tasks(trained)
    names = run_names(trained)
    app = application(build_page(dict(zip(names, trained, strict=True))))
    with socket.create_server(("127.0.0.1", options.port)) as listening:
        address = "http://{}:{}".format(*listening.getsockname())
        print(f"{address} (Ctrl-C stops it)", flush=True)
        config = uvicorn.Config(app, log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])


def _port(text):
    if not 0 <= int(text) < 2**16:
        raise ValueError
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main())

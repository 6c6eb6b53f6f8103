"""Serve a run over HTTP: predictions, vectors and explanations, as JSON.

    pip install "dsa-nli[serve]"
    dsa serve runs/snli/dsa/seed-13
    curl -d '{"rows": [["A man sleeps.", "A man rests."]]}' 127.0.0.1:8000/predict

Paths: /predict, /encode, /explain (POST), /health and /metrics (GET). Waiting rows
are computed in batches. Requests that are too large are refused with 413, too many rows
per second with 429, and requests that find the queue full or have waited too long with
503. It listens only on 127.0.0.1 unless --host says otherwise. Ctrl-C or SIGTERM stops
it; requests that it has accepted then have 10 or 30 seconds to be answered.
"""

import dataclasses
import gc
import logging
import os
from collections.abc import Sequence

from dsa.commands.options import make_parser
from dsa.commands.run_options import add_runtime, parse_with_trust
from dsa.inference.serving.bounds import Bounds
from dsa.inference.serving.server import NAMES, listen, run_server
from dsa.system.command_line import command, count_number, port_number, wait_number
from dsa.system.extras import importing

SECONDS_TO_END = 30  # for requests that were accepted before SIGTERM
SECONDS_MORE = 5  # for a computation that is running then
TYPES = {int: count_number, float: wait_number}
log = logging.getLogger(__name__)


@command(log_to_stderr=True)
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help="run folder")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--port", type=port_number, default=8000, help="0: any free port"
    )
    parser.add_argument(
        "--names", nargs="+", default=[], help="further host names of this server"
    )
    add_runtime(parser)
    fields = dataclasses.fields(Bounds)
    for field in fields:
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            type=TYPES[field.type],
            default=field.default,
            metavar="N",
            help=f"{field.metadata['what']} (%(default)g)",
        )
    options = parse_with_trust(parser, arguments)
    bounds = Bounds(**{field.name: getattr(options, field.name) for field in fields})
    _serve(options, bounds)


def _serve(options, bounds):
    """Listens, loads the run, then answers until the end."""
    with importing("serve", "the service needs the extra `serve`"):
        from dsa.inference.serving.application import Service
        from dsa.inference.serving.bounded_connection import BOUNDED
    with listen(options.host, options.port) as listening:  # before Keras is imported
        from dsa.inference.serving.model_answers import load_answers

        # the answers name unknown words; the log holds no text of a client
        logging.getLogger("dsa.inference").setLevel(logging.ERROR)
        answers = load_answers(options.run, options.runtime, bounds.batch_rows)
        service = Service(answers, bounds)
        # a full garbage collection takes 0.3 s with all objects of TensorFlow: from now
        # on it leaves out those that exist already
        gc.collect()
        gc.freeze()
        names = {name.lower() for name in (*NAMES, options.host, *options.names)}
        try:
            run_server(
                service.build_application(names),
                listening,
                timeout_graceful_shutdown=SECONDS_TO_END,
                lifespan="off",
                **BOUNDED,
            )
        finally:
            if not service.queue.close(SECONDS_MORE):
                log.error("the model has not answered in time: ended without it")
                logging.shutdown()
                os._exit(1)  # a normal exit waits for the model's thread

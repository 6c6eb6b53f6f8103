"""Serve a run over HTTP: predictions, sentence vectors and explanations as JSON.

    pip install -e ".[serve]"
    dsa serve runs/snli/dsa/seed-13
    curl -d '{"rows": [["A man sleeps.", "A man rests."]]}' 127.0.0.1:8000/predict

Paths: /predict, /encode, /explain (POST), /health and /metrics (GET). Concurrent
requests are computed in batches. The status is 413 for requests that exceed a limit,
and 503 if the queue is full. By default, the service listens on 127.0.0.1 only. On a
network, run it behind a reverse proxy such as nginx. Ctrl-C or SIGTERM stops it after
the running requests have been answered.
"""

import gc
import logging
from collections.abc import Sequence

from dsa.commands.options import make_parser
from dsa.commands.run_options import RUN_HELP, add_runtime, parse_options
from dsa.inference.serving.limits import Limits
from dsa.inference.web_server import (
    LOOPBACK,
    LOOPBACK_HEADERS,
    listen,
    run_server,
)
from dsa.system.command_line import command, count_number, port_number, wait_number
from dsa.system.extras import importing

SHUTDOWN_SECONDS = 10  # time limit for running requests after Ctrl-C


@command(log_to_stderr=True)
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help=RUN_HELP)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: %(default)s)",
    )
    parser.add_argument(
        "--port",
        type=port_number,
        default=8000,
        help="port; 0 selects a free port (default: %(default)s)",
    )
    add_runtime(parser)
    parser.add_argument(
        "--request-rows",
        type=count_number,
        default=Limits.request_rows,
        metavar="N",
        help="maximum number of rows per request (default: %(default)s)",
    )
    parser.add_argument(
        "--body-bytes",
        type=count_number,
        default=Limits.body_bytes,
        metavar="N",
        help="maximum size of a request body in bytes (default: %(default)s)",
    )
    parser.add_argument(
        "--text-characters",
        type=count_number,
        default=Limits.text_characters,
        metavar="N",
        help="maximum number of characters per text (default: %(default)s)",
    )
    parser.add_argument(
        "--batch-rows",
        type=count_number,
        default=Limits.batch_rows,
        metavar="N",
        help="maximum number of rows per batch (default: %(default)s)",
    )
    parser.add_argument(
        "--batch-ms",
        type=wait_number,
        default=Limits.batch_ms,
        metavar="N",
        help="milliseconds to wait for further requests of a batch (default: "
        "%(default)g)",
    )
    parser.add_argument(
        "--queue-rows",
        type=count_number,
        default=Limits.queue_rows,
        metavar="N",
        help="maximum number of rows in the queue (default: %(default)s)",
    )
    options = parse_options(parser, arguments)
    limits = Limits(
        request_rows=options.request_rows,
        body_bytes=options.body_bytes,
        text_characters=options.text_characters,
        batch_rows=options.batch_rows,
        batch_ms=options.batch_ms,
        queue_rows=options.queue_rows,
    )
    with importing("serve", "the service requires the extra `serve`"):
        from dsa.inference.serving.application import Service
    with listen(options.host, options.port) as listening:
        from dsa.inference.serving.json_model import load_json_model

        # responses list unknown words; the log contains no text of a client
        logging.getLogger("dsa.inference").setLevel(logging.ERROR)
        model = load_json_model(options.run, options.runtime, limits.batch_rows)
        service = Service(model, limits)
        # exclude the existing objects from garbage collections, because a full
        # collection over the objects of TensorFlow takes 0.3 s
        gc.collect()
        gc.freeze()
        # check the Host header of a local service, to prevent DNS rebinding attacks
        hosts = LOOPBACK_HEADERS if options.host in LOOPBACK else ["*"]
        run_server(service.build_application(hosts), listening, SHUTDOWN_SECONDS)

"""Answer questions to a run over HTTP, as JSON.

    pip install -e ".[serve]"
    dsa serve runs/snli/dsa/seed-13
    curl -d '{"rows": [["A man sleeps.", "A man rests."]]}' 127.0.0.1:8000/predict

Paths: /predict, /encode, /explain (POST), /health and /metrics (GET). Requests that
wait are computed together. What is too large is refused with 413, too many rows a
second with 429, and with 503 what comes while the queue is full. It listens only on
127.0.0.1 unless --host says otherwise. Ctrl-C or SIGTERM stops it, after what it has
taken in is answered.
"""

import dataclasses
import gc
import logging
import os

from dsa.commands.options import make_parser
from dsa.commands.run_options import parse_with_trust
from dsa.errors import InputError
from dsa.inference.serving.bounds import Bounds
from dsa.inference.serving.local_only import NAMES
from dsa.system.command_line import command, count_number, port_number, wait_number

SECONDS_TO_END = 30  # for requests that were taken in before SIGTERM
SECONDS_MORE = 5  # for what is being computed then
MOST_CONNECTIONS = 512
TYPES = {int: count_number, float: wait_number}
log = logging.getLogger(__name__)


@command(log_to_stderr=True)
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("run", help="run folder")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=port_number, default=8000, help="0: a free one")
    parser.add_argument(
        "--names", nargs="+", default=[], help="of this server, beside --host"
    )
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
    """Listen, load the run, then answer until the end."""
    try:
        from dsa.inference.serving.application import Service
        from dsa.inference.serving.bounded_connection import BoundedConnection
        from dsa.inference.serving.server import listen, run_server
    except ImportError as error:
        raise InputError(
            f'the service needs the extra `serve`: pip install -e ".[serve]" ({error})'
        ) from error
    with listen(options.host, options.port) as listening:
        from dsa.inference.serving.model_answers import load_answers

        # the answers name unknown words; the log holds no text of a client
        logging.getLogger("dsa.inference").setLevel(logging.ERROR)
        service = Service(load_answers(options.run), bounds)
        # Python looks through what it has made from time to time, 0.3 s each with all
        # that TensorFlow has made: what is there now stays, and is not looked at again
        gc.collect()
        gc.freeze()
        names = {name.lower() for name in (*NAMES, options.host, *options.names)}
        try:
            run_server(
                service.build_application(names),
                listening,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=SECONDS_TO_END,
                proxy_headers=False,
                access_log=False,
                lifespan="off",
                loop="asyncio",
                http=BoundedConnection,
                ws="none",
            )
        finally:
            if not service.queue.close(SECONDS_MORE):
                log.error("the model has not answered in time: ended without it")
                logging.shutdown()
                os._exit(1)  # the thread of the model would be waited for


if __name__ == "__main__":
    raise SystemExit(main())

"""Show the predictions and attention maps of one or two runs in a web page.

    pip install -e ".[explore]"
    dsa explore runs/snli/dsa/seed-13
    dsa explore runs/snli/dsa/seed-13 runs/snli/dsa_no_distance/seed-13

The input is a premise and a hypothesis, or a single sentence, depending on the task.
The page shows the class probabilities, and the attention weights of the word under the
pointer, by direction and head. Gates and pooling weights are in a collapsed section.
The page is served on 127.0.0.1 only and sends nothing to other hosts. Ctrl-C stops the
server.
"""

from collections.abc import Sequence

from dsa.commands.options import add_data_and_vectors, make_parser
from dsa.commands.run_options import TWO_RUNS_HELP, parse_options
from dsa.system.command_line import command, port_number


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help=TWO_RUNS_HELP)
    parser.add_argument(
        "--port",
        type=port_number,
        default=7860,
        help="port; 0 selects a free port (default: %(default)s)",
    )
    add_data_and_vectors(parser)
    parser.add_argument(
        "--names",
        nargs="+",
        metavar="NAME",
        help="display names of the runs (default: the settings that differ)",
    )
    options = parse_options(parser, arguments)

    from dsa.evaluation.compared_runs import ComparedRuns
    from dsa.inference.page.page import serve_page

    compared = ComparedRuns(
        options.runs, options.names, options.vectors, options.data_root
    )
    serve_page(compared, options.port)

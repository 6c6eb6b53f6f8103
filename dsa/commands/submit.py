"""Write or check submissions to Kaggle's MultiNLI open evaluations.

    dsa submit RUN \\
        --matched multinli_0.9_test_matched_unlabeled.jsonl \\
        --mismatched multinli_0.9_test_mismatched_unlabeled.jsonl --out DIR
    dsa submit RUN --with RUN RUN --matched FILE --out DIR
    dsa submit --check FILE --against TEST_FILE

Writes submission_matched.csv and submission_mismatched.csv to the run folder or DIR.
The columns are `pairID,gold_label`, with one row per pair in the order of the test
file. Test files can be gzipped. Relative paths are also searched in the data root.
--with averages the probabilities over all runs and requires --out. Upload each file to
the Kaggle evaluation of its test set.
"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from dsa.commands.options import add_data_and_vectors, add_force, make_parser
from dsa.commands.run_options import RUN_HELP, add_members, find_runs
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.folders import data_root
from dsa.system.terminal import show

TESTS = ("matched", "mismatched")


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", nargs="?", help=RUN_HELP)
    for test in TESTS:
        parser.add_argument(f"--{test}", metavar="FILE", help=f"{test} test file")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="output folder (default: the run folder)",
    )
    parser.add_argument(
        "--any-rows",
        action="store_true",
        help="accept test files with any number of rows",
    )
    parser.add_argument(
        "--labelled", action="store_true", help="accept test files with gold labels"
    )
    parser.add_argument("--check", metavar="FILE", help="submission to check")
    parser.add_argument("--against", metavar="FILE", help="test file of --check")
    add_members(parser)
    add_data_and_vectors(parser)
    add_force(parser)
    options = parser.parse_intermixed_args(arguments)
    test_files = {}
    for test in TESTS:
        path = getattr(options, test)
        if path:
            test_files[test] = path
    _check_options(options, test_files)
    find_runs(options)
    root = data_root(options.data_root)

    from dsa.evaluation.submission import check_submission_file, write_submissions
    from dsa.runs.outputs import OutputFolder

    if options.check:
        show(check_submission_file(options.check, options.against, root))
        return
    lines = write_submissions(
        [options.run, *options.others],
        test_files,
        root,
        OutputFolder(options.out or options.run.path, options.force),
        options.vectors,
        options.any_rows,
        options.labelled,
    )
    show("\n".join(lines))


def _check_options(options: Namespace, test_files: dict[str, str]) -> None:
    """Raises `InputError` for missing or conflicting options.

    Args:
        options: the parsed options.
        test_files: `{test set: path}` of the given test files.
    """
    if options.check or options.against:
        if not (options.check and options.against) or options.run or test_files:
            raise InputError(
                "--check and --against must be used together, and without a run or "
                "other test files"
            )
        without_check = {
            "--with": options.others,
            "--out": options.out,
            "--vectors": options.vectors,
            "--any-rows": options.any_rows,
            "--labelled": options.labelled,
        }
        for option, value in without_check.items():
            if value:
                raise InputError(f"{option} cannot be combined with --check")
        return
    if not (options.run and test_files):
        raise InputError("expected a run with --matched or --mismatched, or --check")
    if options.others and options.out is None:
        raise InputError("--with requires an output folder, --out")

"""Write submissions to Kaggle's MultiNLI open evaluations, or check one.

    dsa submit RUN \\
        --matched multinli_0.9_test_matched_unlabeled.jsonl \\
        --mismatched multinli_0.9_test_mismatched_unlabeled.jsonl --out DIR
    dsa submit --check FILE --against TEST_FILE

Writes submission_matched.csv and submission_mismatched.csv into the run folder or DIR:
`pairID,gold_label`, every pair of the test file once, in its order. Test files can be
gzipped, and are also looked for below the data root.
"""

import argparse
from collections import Counter
from pathlib import Path

from dsa.command_line import command
from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from dsa.storage.folders import data_root

TESTS = ("matched", "mismatched")


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="?", help="run folder")
    for test in TESTS:
        parser.add_argument(f"--{test}", metavar="FILE", help=f"{test} test file")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: the run")
    parser.add_argument(
        "--any-rows", action="store_true", help="test files of any number of rows"
    )
    parser.add_argument(
        "--labelled", action="store_true", help="test files with gold labels as well"
    )
    parser.add_argument("--check", metavar="FILE", help="a submission to check")
    parser.add_argument("--against", metavar="FILE", help="the test file it is for")
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--vectors", help="vector file for words the run lacks")
    options = parser.parse_args(arguments)
    root = data_root(options.data_root)
    if options.check or options.against:
        return _check(options, root)
    return _write(options, root)


def _check(options, root):
    from dsa.evaluation.submission import check_submission, read_test

    others = options.run or options.matched or options.mismatched
    if not (options.check and options.against) or others:
        raise InputError(
            "--check takes a submission, --against its test file, and nothing else "
            "is done then"
        )
    examples = read_test(_find(options.against, root), labelled=True)
    rows = check_submission(options.check, examples)
    print(f"{options.check}: every pair of {options.against} once. {_counts(rows)}")


def _write(options, root):
    tests = {test: getattr(options, test) for test in TESTS if getattr(options, test)}
    if not (options.run and tests):
        raise InputError("a run and --matched or --mismatched are needed, or --check")
    from dsa.evaluation.submission import read_test, submission, write_submission

    examples = {  # all are read before the model is loaded: a wrong one stops at once
        test: read_test(
            _find(file, root), None if options.any_rows else test, options.labelled
        )
        for test, file in tests.items()
    }
    from dsa.inference.loading import load

    trained = load(options.run, options.vectors, root)
    folder = options.out or trained.run.path
    folder.mkdir(parents=True, exist_ok=True)
    for test, file in tests.items():
        rows = submission(trained, examples[test], file)
        path = folder / f"submission_{test}.csv"
        write_submission(path, rows)
        print(f"{path}: {_counts(rows)}")


def _find(file, root):
    return Path(file) if Path(file).is_file() else find_file(root, file)


def _counts(rows):
    counts = Counter(label for _, label in rows)
    shown = ", ".join(f"{n:,} {label}" for label, n in sorted(counts.items()))
    return f"{len(rows):,} rows: {shown}"


if __name__ == "__main__":
    raise SystemExit(main())

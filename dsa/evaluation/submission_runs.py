"""Submissions of a run, into files, and submissions that are checked."""

from collections import Counter
from pathlib import Path

from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from dsa.evaluation.submission import (
    check_submission,
    predict_submission,
    read_test,
    write_submission,
)


def write_submissions(
    run, tests, root, output, vectors=None, any_rows=False, labelled=False
):
    """Write `submission_matched.csv` and `submission_mismatched.csv` of a run.

    Args:
        run: the run folder.
        tests: `{"matched" or "mismatched": test file}`; a file that is not there is
            looked for below the data root.
        root: the data root.
        output: the `OutputFolder` that the files go to.
        vectors: a vector file for words that the run lacks.
        any_rows: whether a test file may have another number of rows than the official
            one.
        labelled: whether the rows may have gold labels.

    Returns: a line of text for each file.

    Raises: `InputError` for a wrong test file and for one file as both, before the run
        is loaded, and for a run of other labels.
    """
    names = {test: f"submission_{test}.csv" for test in tests}
    output.refuse(names.values(), [*tests.values(), vectors])
    examples = {
        test: read_test(_find(file, root), None if any_rows else test, labelled)
        for test, file in tests.items()
    }
    _check_different_pairs(tests, examples)
    from dsa.inference.loading import load

    trained = load(run, vectors, root)
    folder, lines = output.open(names.values()), []
    for test, file in tests.items():
        rows = predict_submission(trained, examples[test], file)
        path = folder / names[test]
        write_submission(path, rows)
        lines.append(f"{path}: {_count_labels(rows)}")
    return lines


def check_submission_file(path, test, root):
    """Check a submission against its test file; a line of text if it is right.

    Raises: `InputError` as `check_submission`.
    """
    rows = check_submission(path, read_test(_find(test, root), labelled=True))
    return f"{path}: every pair of {test} once. {_count_labels(rows)}"


def _check_different_pairs(tests, examples):
    """Raises an error if both test files hold the same pairs."""
    pairs = [[(row.id, row.texts) for row in rows] for rows in examples.values()]
    if len(pairs) > 1 and pairs[0] == pairs[1]:
        raise InputError(
            f"{' and '.join(map(str, tests.values()))} hold the same pairs, but "
            f"{' and '.join(tests)} are two test sets"
        )


def _find(file, root):
    return Path(file) if Path(file).is_file() else find_file(root, file)


def _count_labels(rows):
    counts = Counter(label for _, label in rows)
    labels = ", ".join(f"{count:,} {label}" for label, count in sorted(counts.items()))
    return f"{len(rows):,} rows: {labels}"

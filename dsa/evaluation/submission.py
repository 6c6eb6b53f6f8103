"""Submissions to Kaggle's MultiNLI open evaluations: `pairID,gold_label`.

Reference: Williams et al. 2018, https://cims.nyu.edu/~sbowman/multinli/.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.backends.device_check import log_device
from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import check_examples
from dsa.data.corpora.files import find_file, read_lines
from dsa.data.corpora.nli import read_nli
from dsa.errors import InputError
from dsa.inference.ensemble import check_members, load_models
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from dsa.data.corpora.example import Example
    from dsa.inference.ensemble import Ensemble
    from dsa.inference.trained_model import TrainedModel
    from dsa.runs.outputs import OutputFolder


HEADER = ["pairID", "gold_label"]
OFFICIAL_ROWS = {"matched": 9_796, "mismatched": 9_847}  # rows of each test file
MAX_LISTED = 3  # maximum number of pairIDs in an error message


def write_submissions(
    runs: Sequence[RunFolder],
    tests: dict[str, str],
    root: Path,
    output: OutputFolder,
    vectors: str | None = None,
    any_rows: bool = False,
    labelled: bool = False,
) -> list[str]:
    """Writes `submission_matched.csv` and `submission_mismatched.csv`.

    Args:
        runs: run folders. The probabilities of several runs are averaged.
        tests: paths of the test files by name of the test set, `{"matched" or
            "mismatched": path}`. A path that does not exist is relative to the data
            root.
        root: the data root.
        output: the output folder.
        vectors: vector file for words outside the vocabularies of the runs.
        any_rows: whether to accept test files of any number of rows.
        labelled: whether to accept test files with gold labels.

    Returns: a summary line for each written file.

    Raises: `InputError` if a run has other labels, if a test file is invalid, or if
        both test files contain the same pairs. These errors are raised before a run is
        loaded.
    """
    names = {test: f"submission_{test}.csv" for test in tests}
    output.check(names.values(), [*tests.values(), vectors])
    check_members(runs)
    check_labels(runs[0])
    examples = {}
    for test, file in tests.items():
        official_test = None if any_rows else test
        path = _find_test_file(file, root)
        examples[test] = read_test(path, official_test, labelled)
    _check_different_pairs(tests, examples)
    trained = load_models(runs, vectors, root)
    log_device()
    folder = output.open(names.values())
    lines = []
    for test, file in tests.items():
        rows = predict_submission(trained, examples[test], file)
        path = folder / names[test]
        write_submission(path, rows)
        lines.append(f"{path}: {_describe_labels(rows)}")
    return lines


def check_labels(run: RunFolder) -> None:
    """Raises `InputError` if the task of a run is not MultiNLI's task."""
    task = run.experiment().task
    if task != NLI:
        raise InputError(
            f"{run.path}: a submission requires the labels {', '.join(NLI.labels)}. "
            f"This run of task '{task.name}' predicts {task.answers}"
        )


def check_submission_file(path: str, test: str, root: Path) -> str:
    """Checks a submission against its test file and returns a summary line.

    Args:
        path: path of the submission.
        test: path of the test file. A path that does not exist is relative to the data
            root.
        root: the data root.

    Raises: `InputError` if the test file or the submission is invalid, see `read_test`
        and `check_submission`.
    """
    examples = read_test(_find_test_file(test, root), labelled=True)
    rows = check_submission(path, examples)
    return f"{path}: valid submission for {test}. {_describe_labels(rows)}"


def _check_different_pairs(tests, examples):
    """Raises `InputError` if both test files contain the same pairs.

    Args:
        tests: path of each test file, `{test: path}`.
        examples: pairs of each test file, `{test: list of Example}`.
    """
    pairs = []
    for test_examples in examples.values():
        pairs.append([(example.id, example.texts) for example in test_examples])
    if len(pairs) == 2 and pairs[0] == pairs[1]:
        raise InputError(
            f"{' and '.join(map(str, tests.values()))} contain the same pairs, but "
            f"{' and '.join(tests)} are different test sets"
        )


def _find_test_file(file, root):
    """Returns an existing path unchanged, and resolves others against the data root."""
    return Path(file) if Path(file).is_file() else find_file(root, file)


def _describe_labels(rows):
    """Returns the number of rows and of each label as text."""
    counts = Counter(label for _, label in rows)
    labels = ", ".join(f"{count:,} {label}" for label, count in sorted(counts.items()))
    return f"{len(rows):,} rows: {labels}"


def read_test(
    path: Path | str, test: str | None = None, labelled: bool = False
) -> list[Example]:
    """Reads the pairs of a test file and checks that their pairIDs are unique.

    Args:
        path: path of `multinli_0.9_test_*_unlabeled.jsonl`, or of a file in the same
            format.
        test: "matched" or "mismatched" to require the official number of rows; `None`
            for any number.
        labelled: whether to accept gold labels.

    Returns: the pairs, as a list of `Example`.

    Raises: `InputError` if a pairID is missing, duplicate or unprintable, if a pair has
        a gold label and `labelled` is not set, or if the number of rows is wrong.
    """
    examples = list(check_examples(read_nli(path, NLI, labelled=False), path))
    rows_by_id = {}
    for example in examples:
        location = f"{path}, row {example.row}"
        if not example.id:
            raise InputError(f"{location}: 'pairID' is missing")
        if not example.id.isprintable():
            raise InputError(
                f"{location}: pairID {example.id!r} contains unprintable characters"
            )
        if example.id in rows_by_id:
            raise InputError(
                f"{location}: duplicate pairID {example.id}, see row "
                f"{rows_by_id[example.id]}"
            )
        rows_by_id[example.id] = example.row
        if example.label is not None and not labelled:
            raise InputError(
                f"{location}: test files have no gold labels. Received: "
                f"{example.label}. Use --labelled to accept gold labels"
            )
    if test and len(examples) != OFFICIAL_ROWS[test]:
        raise InputError(
            f"{path}: the {test} test file has {OFFICIAL_ROWS[test]:,} rows. Received: "
            f"{len(examples):,} rows, which Kaggle rejects. Use --any-rows to write "
            "the submission anyway"
        )
    return examples


def predict_submission(
    trained: TrainedModel | Ensemble, examples: list[Example], source: str
) -> list[tuple[str, str]]:
    """Predicts the label of every pair.

    Args:
        trained: the trained model or ensemble.
        examples: the pairs.
        source: name of the test file, for error messages.

    Returns: the rows `(pairID, label)` in the order of `examples`.
    """
    predictions = trained.predict_examples(examples, source)
    return [
        (str(example.id), prediction.label)
        for example, prediction in zip(examples, predictions, strict=True)
    ]


def write_submission(path: Path | str, rows: Iterable[tuple[str, str]]) -> None:
    """Writes rows `(pairID, label)` as a CSV file in Kaggle's format."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([HEADER, *rows])
    write_atomically(path, buffer.getvalue())


def check_submission(
    path: Path | str, examples: list[Example]
) -> list[tuple[str, str]]:
    """Checks a submission against its test file.

    Args:
        path: path of the CSV file.
        examples: pairs of the test file, see `read_test`.

    Returns: the rows `(pairID, label)`.

    Raises: `InputError` if the header is wrong, a row is malformed, a label is unknown,
        or a pairID is duplicate, missing or unknown.
    """
    lines = (line for _, line in read_lines(path))
    reader = csv.reader(lines, strict=True)
    rows = []
    seen_ids = set()
    expected_ids = [str(example.id) for example in examples]
    known_ids = set(expected_ids)
    try:
        header = next(reader, None)
        if header != HEADER:
            raise InputError(
                f"{path}: the header must be '{','.join(HEADER)}'. Received: "
                f"{','.join(header or [])[:80]!r}"
            )
        for row in reader:
            _check_row(row, f"{path}, row {len(rows) + 1}", seen_ids, known_ids)
            pair_id, label = row
            seen_ids.add(pair_id)
            rows.append((pair_id, label))
    except csv.Error as error:
        raise InputError(f"{path}, row {len(rows) + 1}: {error}") from error
    missing_ids = [pair_id for pair_id in expected_ids if pair_id not in seen_ids]
    if missing_ids:
        listed = ", ".join(missing_ids[:MAX_LISTED])
        if len(missing_ids) > MAX_LISTED:
            listed += ", ..."
        count = f"{len(missing_ids):,} of {len(expected_ids):,}"
        raise InputError(f"{path}: {count} pairIDs are missing: {listed}")
    return rows


def _check_row(row, location, seen_ids, known_ids):
    """Raises `InputError` if a row is malformed, or if its pairID is a duplicate or not
    in the test file."""
    if len(row) != len(HEADER):
        raise InputError(
            f"{location}: a row must have {len(HEADER)} fields. Received: {len(row)}"
        )
    pair_id, label = row
    if label not in NLI.labels:
        raise InputError(
            f"{location}: unknown label {label!r}. Known: {', '.join(NLI.labels)}"
        )
    if pair_id in seen_ids:
        raise InputError(f"{location}: duplicate pairID {pair_id}")
    if pair_id not in known_ids:
        raise InputError(f"{location}: pairID {pair_id} is not in the test file")

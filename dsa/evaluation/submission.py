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
ROWS = {"matched": 9_796, "mismatched": 9_847}  # rows of the official test files
MAX_LISTED = 3  # pairIDs in an error message


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
        runs: run folders; the probabilities of several runs are averaged.
        tests: `{"matched" or "mismatched": test file}`; relative paths are also
            resolved against the data root.
        root: the data root.
        output: the output folder.
        vectors: vector file for words missing from the run's vocabulary.
        any_rows: whether to accept test files without the official number of rows.
        labelled: whether to accept gold labels.

    Returns: a summary line for each file.

    Raises: `InputError` for a run with other labels, for an invalid test file, and if
        both test files contain the same pairs. No run is loaded in these cases.
    """
    names = {test: f"submission_{test}.csv" for test in tests}
    output.check(names.values(), [*tests.values(), vectors])
    check_members(runs)
    check_labels(runs[0])
    examples = {
        test: read_test(
            _find_test_file(file, root), None if any_rows else test, labelled
        )
        for test, file in tests.items()
    }
    _check_different_pairs(tests, examples)
    trained = load_models(runs, vectors, root)
    log_device()
    folder = output.open(names.values())
    lines = []
    for test, file in tests.items():
        rows = predict_submission(trained, examples[test], file)
        path = folder / names[test]
        write_submission(path, rows)
        lines.append(f"{path}: {_count_labels(rows)}")
    return lines


def check_labels(run: RunFolder) -> None:
    """Raises `InputError` unless a run has the labels of MultiNLI."""
    task = run.experiment().task
    if task != NLI:
        raise InputError(
            f"{run.path}: a submission requires the labels {', '.join(NLI.labels)}. "
            f"This run of task '{task.name}' predicts {task.answers}"
        )


def check_submission_file(path: str, test: str, root: Path) -> str:
    """Checks a submission against its test file and returns a summary line.

    Raises: `InputError`, see `check_submission`.
    """
    rows = check_submission(path, read_test(_find_test_file(test, root), labelled=True))
    return f"{path}: valid submission for {test}. {_count_labels(rows)}"


def _check_different_pairs(tests, examples):
    """Raises `InputError` if both test files contain the same pairs."""
    pairs = [[(row.id, row.texts) for row in rows] for rows in examples.values()]
    if len(pairs) > 1 and pairs[0] == pairs[1]:
        raise InputError(
            f"{' and '.join(map(str, tests.values()))} contain the same pairs, but "
            f"{' and '.join(tests)} are different test sets"
        )


def _find_test_file(file, root):
    """Returns the path of a test file, which may be relative to the data root."""
    return Path(file) if Path(file).is_file() else find_file(root, file)


def _count_labels(rows):
    counts = Counter(label for _, label in rows)
    labels = ", ".join(f"{count:,} {label}" for label, count in sorted(counts.items()))
    return f"{len(rows):,} rows: {labels}"


def read_test(
    path: Path | str, test: str | None = None, labelled: bool = False
) -> list[Example]:
    """Reads the pairs of a test file and checks that their pairIDs are unique.

    Args:
        path: `multinli_0.9_test_*_unlabeled.jsonl`, or a file in the same format.
        test: "matched" or "mismatched" to require the official number of rows; `None`
            for any number.
        labelled: whether to accept gold labels.

    Returns: the pairs, as a list of `Example`.

    Raises: `InputError` for missing, duplicate or unprintable pairIDs, gold labels and
        a wrong number of rows.
    """
    rows = read_nli(path, NLI, labelled=False)
    examples = list(check_examples(rows, path))
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
    if test and len(examples) != ROWS[test]:
        raise InputError(
            f"{path}: the {test} test file has {ROWS[test]:,} rows. Received: "
            f"{len(examples):,} rows, which Kaggle rejects. Use --any-rows to write "
            "the submission anyway"
        )
    return examples


def predict_submission(
    trained: TrainedModel | Ensemble, examples: list[Example], source: str
) -> list[tuple[str, str]]:
    """Predicts the label of every pair.

    Args:
        trained: model or ensemble.
        examples: the pairs.
        source: name of the pairs in error messages.

    Returns: a list of `(pairID, label)` in the order of `examples`.
    """
    predictions = trained.predict_examples(examples, source)
    return [
        (str(example.id), prediction.label)
        for example, prediction in zip(examples, predictions, strict=True)
    ]


def write_submission(path: Path | str, rows: Iterable[tuple[str, str]]) -> None:
    """Writes `(pairID, label)` rows as a CSV file in Kaggle's format."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    write_atomically(path, text.getvalue())


def check_submission(
    path: Path | str, examples: list[Example]
) -> list[tuple[str, str]]:
    """Checks a submission against its test file.

    Args:
        path: CSV file.
        examples: examples of the test file, see `read_test`.

    Returns: the `(pairID, label)` rows.

    Raises: `InputError` for a wrong header, malformed rows, unknown labels, and
        duplicate, missing or unknown pairIDs.
    """
    lines = (line for _, line in read_lines(path))
    reader = csv.reader(lines, strict=True)
    rows = []
    seen = set()
    expected = [str(example.id) for example in examples]
    known = set(expected)
    try:
        header = next(reader, None)
        if header != HEADER:
            raise InputError(
                f"{path}: the header must be '{','.join(HEADER)}'. Received: "
                f"{','.join(header or [])[:80]!r}"
            )
        for row in reader:
            _check_row(row, f"{path}, row {len(rows) + 1}", seen, known)
            seen.add(row[0])
            rows.append(tuple(row))
    except csv.Error as error:
        raise InputError(f"{path}, row {len(rows) + 1}: {error}") from error
    missing = [pair_id for pair_id in expected if pair_id not in seen]
    if missing:
        first = ", ".join(missing[:MAX_LISTED])
        if len(missing) > MAX_LISTED:
            first += ", ..."
        count = f"{len(missing):,} of {len(expected):,}"
        raise InputError(f"{path}: {count} pairIDs are missing: {first}")
    return rows


def _check_row(row, location, seen, known):
    """Raises `InputError` for a row that is malformed, duplicate or unknown."""
    if len(row) != len(HEADER):
        raise InputError(
            f"{location}: a row must have {len(HEADER)} fields. Received: {len(row)}"
        )
    pair_id, label = row
    if label not in NLI.labels:
        raise InputError(
            f"{location}: unknown label {label!r}. Known: {', '.join(NLI.labels)}"
        )
    if pair_id in seen:
        raise InputError(f"{location}: duplicate pairID {pair_id}")
    if pair_id not in known:
        raise InputError(f"{location}: pairID {pair_id} is not in the test file")

"""Submissions to Kaggle's MultiNLI open evaluations: `pairID,gold_label`.

Williams et al. 2018, https://cims.nyu.edu/~sbowman/multinli/, names the evaluations.
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
ROWS = {"matched": 9_796, "mismatched": 9_847}  # of the official test files
SHOWN = 3


def write_submissions(
    runs: Sequence[RunFolder],
    tests: dict[str, str],
    root: Path,
    output: OutputFolder,
    vectors: str | None = None,
    any_rows: bool = False,
    labelled: bool = False,
) -> list[str]:
    """Writes `submission_matched.csv` and `submission_mismatched.csv` of a run, or
    of the mean of several runs' probabilities.

    Args:
        tests: `{"matched" or "mismatched": test file}`; a file that is not there is
            looked for below the data root.
        root: the data root.
        vectors: a vector file for words that the run lacks.
        any_rows: whether a test file may have another number of rows than the official
            one.
        labelled: whether the rows may have gold labels.

    Returns: a line of text for each file.

    Raises: `InputError` for a run of other labels, for a wrong test file and for one
        file as both, before a run is loaded.
    """
    names = {test: f"submission_{test}.csv" for test in tests}
    output.refuse(names.values(), [*tests.values(), vectors])
    check_members(runs)
    check_labels(runs[0])
    examples = {
        test: read_test(_find(file, root), None if any_rows else test, labelled)
        for test, file in tests.items()
    }
    _check_different_pairs(tests, examples)
    trained = load_models(runs, vectors, root)
    log_device()
    folder, lines = output.open(names.values()), []
    for test, file in tests.items():
        rows = predict_submission(trained, examples[test], file)
        path = folder / names[test]
        write_submission(path, rows)
        lines.append(f"{path}: {_count_labels(rows)}")
    return lines


def check_labels(run: RunFolder) -> None:
    """Checks that a run answers with entailment, neutral and contradiction.

    Raises: `InputError`.
    """
    task = run.experiment().task
    if task != NLI:
        raise InputError(
            f"{run.path}: a run of task '{task.name}', which answers with "
            f"{task.answers}. A submission needs {', '.join(NLI.labels)}"
        )


def check_submission_file(path: str, test: str, root: Path) -> str:
    """Checks a submission against its test file; returns a line of text if it is right.

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


def read_test(
    path: Path | str, test: str | None = None, labelled: bool = False
) -> list[Example]:
    """Reads the pairs of a test file, every one with a pairID of its own.

    Args:
        path: `multinli_0.9_test_*_unlabeled.jsonl`, or a file like it.
        test: "matched" or "mismatched" if the file must have as many rows as the
            official one; `None` for any number.
        labelled: whether the rows may have gold labels.

    Returns: a list of `Example`.

    Raises: `InputError` for a row without a pairID, a pairID that is there twice or has
        control characters, a gold label, and another number of rows.
    """
    rows = read_nli(path, NLI, labelled=False)
    examples = list(check_examples(rows, path))
    rows_by_id = {}
    for example in examples:
        place = f"{path}, row {example.row}"
        if not example.id:
            raise InputError(f"{place}: 'pairID' is missing")
        if not example.id.isprintable():
            raise InputError(
                f"{place}: pairID {example.id!r} has characters that cannot be printed"
            )
        if example.id in rows_by_id:
            raise InputError(
                f"{place}: pairID {example.id} is in row {rows_by_id[example.id]} too"
            )
        rows_by_id[example.id] = example.row
        if example.label is not None and not labelled:
            raise InputError(
                f"{place}: a gold label, {example.label}: so this is no test file. "
                "--labelled accepts it"
            )
    if test and len(examples) != ROWS[test]:
        raise InputError(
            f"{path}: {len(examples):,} rows, but the {test} test file has "
            f"{ROWS[test]:,}: Kaggle would refuse the submission. --any-rows writes it "
            "nevertheless"
        )
    return examples


def predict_submission(
    trained: TrainedModel | Ensemble, examples: list[Example], source: str
) -> list[tuple[str, str]]:
    """Predicts the label of every pair.

    Args:
        source: names them in errors.

    Returns: a list of `(pairID, label)`, in the examples' order.
    """
    predictions = trained.predict_examples(examples, source)
    return [
        (str(example.id), prediction.label)
        for example, prediction in zip(examples, predictions, strict=True)
    ]


def write_submission(path: Path | str, rows: Iterable[tuple[str, str]]) -> None:
    """Writes `(pairID, label)` rows as Kaggle takes them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    write_atomically(path, text.getvalue())


def check_submission(
    path: Path | str, examples: list[Example]
) -> list[tuple[str, str]]:
    """Checks a submission against its test file.

    Args:
        path: the CSV file.
        examples: the test file's `Example`s, see `read_test`.

    Returns: its `(pairID, label)` rows.

    Raises: `InputError` for another header, a malformed row, an unknown label, and
        pairIDs that are there twice, missing or not of the test file.
    """
    lines = (line for _, line in read_lines(path))
    reader = csv.reader(lines, strict=True)
    rows, seen = [], set()
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
        first = ", ".join(missing[:SHOWN]) + (", ..." if missing[SHOWN:] else "")
        count = f"{len(missing):,} of {len(expected):,}"
        raise InputError(f"{path}: {count} pairIDs are missing: {first}")
    return rows


def _check_row(row, place, seen, known):
    if len(row) != len(HEADER):
        raise InputError(f"{place}: {len(HEADER)} fields are needed, not {len(row)}")
    pair_id, label = row
    if label not in NLI.labels:
        raise InputError(
            f"{place}: unknown label {label!r}. Known: {', '.join(NLI.labels)}"
        )
    if pair_id in seen:
        raise InputError(f"{place}: pairID {pair_id} is in the file twice")
    if pair_id not in known:
        raise InputError(f"{place}: pairID {pair_id} is not in the test file")

"""Submissions to Kaggle's MultiNLI open evaluations: `pairID,gold_label`.

Williams et al. 2018, https://cims.nyu.edu/~sbowman/multinli/, names the evaluations.
"""

import csv
import io

from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import check_examples
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import read_nli
from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically

HEADER = ["pairID", "gold_label"]
ROWS = {"matched": 9_796, "mismatched": 9_847}  # of the official test files
SHOWN = 3


def read_test(path, test=None, labelled=False):
    """The pairs of a test file, every one with a pairID of its own.

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
    lines = {}
    for example in examples:
        place = f"{path}, line {example.line}"
        if not example.id:
            raise InputError(f"{place}: 'pairID' is missing")
        if not example.id.isprintable():
            raise InputError(f"{place}: pairID {example.id!r} holds control characters")
        if example.id in lines:
            raise InputError(
                f"{place}: pairID {example.id} is in line {lines[example.id]} too"
            )
        lines[example.id] = example.line
        if example.label is not None and not labelled:
            raise InputError(
                f"{place}: a gold label, {example.label}: this is no test file. "
                "--labelled accepts it"
            )
    if test and len(examples) != ROWS[test]:
        raise InputError(
            f"{path}: {len(examples):,} rows, but the {test} test file has "
            f"{ROWS[test]:,}: Kaggle would refuse the submission. --any-rows writes it "
            "nevertheless"
        )
    return examples


def predict_submission(trained, examples, source):
    """The predicted label of every pair.

    Args:
        trained: a `TrainedModel`.
        examples: a list of `Example`.
        source: names them in errors.

    Returns: a list of `(pairID, label)`, in the examples' order.

    Raises: `InputError` for a model of other labels than entailment, neutral and
        contradiction.
    """
    if trained.task != NLI:
        raise InputError(
            f"{trained.run.path}: a run of task '{trained.task.name}', which answers "
            f"with {trained.task.answers}. A submission needs "
            f"{', '.join(NLI.labels)}"
        )
    predictions = trained.predict_examples(examples, source)
    return [
        (example.id, prediction.label)
        for example, prediction in zip(examples, predictions, strict=True)
    ]


def write_submission(path, rows):
    """Write `(pairID, label)` rows as Kaggle takes them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    write_atomically(path, text.getvalue())


def check_submission(path, examples):
    """Check a submission against its test file.

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
    expected = [example.id for example in examples]
    known = set(expected)
    try:
        header = next(reader, None)
        if header != HEADER:
            raise InputError(
                f"{path}, line 1: the header must be '{','.join(HEADER)}'. Received: "
                f"{','.join(header or [])[:80]!r}"
            )
        for row in reader:
            _check_row(row, f"{path}, line {reader.line_num}", seen, known)
            seen.add(row[0])
            rows.append(tuple(row))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from error
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
        raise InputError(f"{place}: pairID {pair_id} is not of the test file")

"""SICK: sentence pairs with a relatedness score and an entailment judgment.

Marelli et al. 2014, SemEval-2014 task 1; tab-separated columns below a header line,
UTF-8, the test file with CRLF.
"""

from dsa.data.corpora.columns import parse_score, read_columns
from dsa.data.corpora.example import Example
from dsa.errors import InputError

COLUMNS = ("pair_ID", "sentence_A", "sentence_B")
SCORE, JUDGMENT = "relatedness_score", "entailment_judgment"


def read_sick_scores(path, task):
    """Yield an `Example` for every pair, labelled by its score.

    Args:
        path: the file, also gzipped.
        task: the `Relatedness`.

    Raises: `InputError` with file, line and reason for a malformed row or a score
        outside the scale.
    """
    for number, row in read_columns(path, (*COLUMNS, SCORE)):
        yield _example(
            row, parse_score(row[SCORE], task, f"{path}, line {number}"), number
        )


def read_sick_judgments(path, task):
    """Yield an `Example` for every pair, labelled by its judgment.

    Args:
        path: the file, also gzipped.
        task: the `Classification` of natural-language inference.

    Raises: `InputError` with file, line and reason for a malformed row or an unknown
        judgment.
    """
    for number, row in read_columns(path, (*COLUMNS, JUDGMENT)):
        label = row[JUDGMENT].lower()
        if label not in task.labels:
            raise InputError(
                f"{path}, line {number}: unknown judgment {row[JUDGMENT][:20]!r}"
            )
        yield _example(row, label, number)


def _example(row, label, number):
    texts = (row["sentence_A"], row["sentence_B"])
    return Example(texts, label, row["pair_ID"], None, None, number)

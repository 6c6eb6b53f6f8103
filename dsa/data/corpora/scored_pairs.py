"""Pairs with a score: SICK, which also has an entailment judgment, and STS-B.

SICK: Marelli et al. 2014, SemEval-2014 task 1; tab-separated columns below a header
line, UTF-8, the test file with CRLF.

STS-B: Cer et al. 2017, http://ixa2.si.ehu.eus/stswiki; tab-separated though called
`.csv`, no header, no quoting, UTF-8: genre, file, year, number, score, two sentences,
and after them sometimes two sources.
"""

from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.columns import parse_score, read_columns
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.relatedness import Relatedness

SICK_COLUMNS = ("pair_ID", "sentence_A", "sentence_B")
SCORE, JUDGMENT = "relatedness_score", "entailment_judgment"


def read_sick_scores(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yield an `Example` for every pair, labelled by its score.

    Args:
        path: the file, also gzipped.
        task: the `Relatedness`.

    Raises: `InputError` with file, line and reason for a malformed row or a score
        outside the scale.
    """
    for number, row in read_columns(path, (*SICK_COLUMNS, SCORE)):
        yield _make_sick_example(
            row, parse_score(row[SCORE], task, f"{path}, line {number}"), number
        )


def read_sick_judgments(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yield an `Example` for every pair, labelled by its judgment.

    Args:
        path: the file, also gzipped.
        task: the `Classification` of natural-language inference.

    Raises: `InputError` with file, line and reason for a malformed row or an unknown
        judgment.
    """
    for number, row in read_columns(path, (*SICK_COLUMNS, JUDGMENT)):
        label = row[JUDGMENT].lower()
        if label not in task.labels:
            raise InputError(
                f"{path}, line {number}: unknown judgment {row[JUDGMENT][:20]!r}"
            )
        yield _make_sick_example(row, label, number)


def _make_sick_example(row, label, number):
    texts = (row["sentence_A"], row["sentence_B"])
    return Example(texts, label, row["pair_ID"], None, None, number)


def read_stsb(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yield an `Example` for every pair; the genre is its group.

    Args:
        path: the file, also gzipped.
        task: the `Relatedness`.

    Raises: `InputError` with file, line and reason for a malformed row or a score
        outside the scale.
    """
    for number, line in read_lines(path):
        place = f"{path}, line {number}"
        fields = line.split("\t")
        if not 7 <= len(fields) <= 9:
            raise InputError(f"{place}: {len(fields)} fields, 7 to 9 are needed")
        genre, source, year, name, score, *texts = fields[:7]
        yield Example(
            tuple(texts),
            parse_score(score, task, place),
            f"{source}-{year}-{name}",
            genre,
            None,
            number,
        )

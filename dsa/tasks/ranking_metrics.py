"""MAP and MRR: how well scores put the right answers to questions first.

Reference: Yin et al. 2016, section 5.2; the expectation over ties is that of McSherry
and Najork 2008, "Computing Information Retrieval Performance Measures Efficiently in
the Presence of Tied Scores".
"""

import dataclasses
from collections.abc import Iterable, Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike


@dataclasses.dataclass(frozen=True)
class QuestionMeasures:
    """How well the answers to each of Q questions are ranked.

    Args:
        questions: their names, only of those with a right answer.
        map: average precision of each, `(Q,)`.
        mrr: reciprocal rank of the first right answer of each, `(Q,)`.
        both_labels: bool `(Q,)`, whether a question has a wrong answer too. Any order
            of right answers only is perfect.
    """

    questions: tuple[str, ...]
    map: np.ndarray
    mrr: np.ndarray
    both_labels: np.ndarray


def measure_questions(
    scores: ArrayLike, right: ArrayLike, groups: Iterable[str], ties: str = "expected"
) -> QuestionMeasures:
    """Returns the `QuestionMeasures` of N candidates.

    Args:
        scores: `(N,)`, the highest one is ranked first.
        right: bool `(N,)`.
        groups: the question of each candidate.
        ties: a key of `TIES`, what the order of equal scores is.

    Example:
        >>> measured = measure_questions([2, 1, 7], [False, True, False], "aab")
        >>> measured.questions, measured.map.tolist()
        (('a',), [0.5])
    """
    scores = np.asarray(scores, np.float64)
    right = np.asarray(right, bool)
    measure = TIES[ties]
    names, values, both = [], [], []
    for name, rows in rows_by_question(groups).items():
        if right[rows].any():
            names.append(name)
            values.append(measure(scores[rows], right[rows]))
            both.append(not right[rows].all())
    precisions, ranks = np.array(values, np.float64).reshape(-1, 2).T
    return QuestionMeasures(tuple(names), precisions, ranks, np.array(both, bool))


def rows_by_question(groups: Iterable[str]) -> dict[str, list[int]]:
    """Returns `{question: positions of its rows}`, both in their order."""
    rows = {}
    for row, name in enumerate(groups):
        rows.setdefault(name, []).append(row)
    return rows


def find_answered(groups: Sequence[str], right: Iterable[bool]) -> np.ndarray:
    """Finds which of N rows belong to a question with a right answer, bool `(N,)`.

    Args:
        groups: the question of each row.
        right: bool `(N,)`, whether a row is a right answer.

    Example:
        >>> find_answered(["a", "a", "b"], [True, False, False]).tolist()
        [True, True, False]
    """
    answered = {name for name, is_right in zip(groups, right, strict=True) if is_right}
    return np.array([name in answered for name in groups], bool)


def measure_expected(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Returns average precision and reciprocal rank of one question, the mean over all
    orders of equal scores.

    A group of n equal scores with r right ones, after N candidates of which P are
    right, adds to the average precision

        1/R sum_{j=1..n} r/n (P + 1 + (j - 1)(r - 1)/(n - 1)) / (N + j)

    with R the right ones of the question, and 0 for the fraction where n = 1. The first
    group with r > 0 gives the reciprocal rank

        sum_{j=1..n-r+1} C(n - j, r - 1) / C(n, r) / (N + j)

    Args:
        scores: `(N,)`.
        right: bool `(N,)`, at least one of them `True`.

    Returns: two numbers.

    Example:
        >>> measure_expected(np.array([2, 2, 1]), np.array([True, False, False]))
        (0.75, 0.75)
    """
    precision, rank, before, right_before = 0.0, 0.0, 0, 0
    for score in sorted(set(scores.tolist()), reverse=True):
        equal = scores == score
        n, r = int(equal.sum()), int(right[equal].sum())
        if r:
            precision += _expect_precisions(n, r, before, right_before)
            if not right_before:  # the first right answers
                rank = _expect_reciprocal_rank(n, r, before)
        before, right_before = before + n, right_before + r
    return precision / right_before, rank


def _expect_precisions(n, r, before, right_before):
    """The sum of the precisions at the right answers of a group of equal scores."""
    total = 0.0
    for j in range(1, n + 1):
        others = (j - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
        total += r / n * (right_before + 1 + others) / (before + j)
    return total


def _expect_reciprocal_rank(n, r, before):
    """The reciprocal rank where the first right answers are in a group of n."""
    return sum(
        comb(n - j, r - 1) / comb(n, r) / (before + j) for j in range(1, n - r + 2)
    )


def measure_stable(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """As `measure_expected`, with equal scores in the order of the file."""
    return _measure_order(np.argsort(-scores, kind="stable"), right)


def measure_trec_eval(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """As `measure_expected`, with the order of trec_eval up to version 9: scores in
    single precision, equal ones by the answer's id as text, from the last to the first.
    The ids are the numbers of the question's answers, from 0."""
    names = [str(number) for number in range(len(scores))]
    by_name = np.array(sorted(range(len(scores)), key=names.__getitem__, reverse=True))
    single = scores.astype(np.float32)[by_name]
    return _measure_order(by_name[np.argsort(-single, kind="stable")], right)


def _measure_order(order, right):
    """Average precision and reciprocal rank of candidates in an order."""
    places = np.flatnonzero(right[order]) + 1  # of the right answers, from 1
    precisions = np.arange(1, len(places) + 1) / places
    return float(precisions.mean()), float(1 / places[0])


TIES = {
    "expected": measure_expected,
    "stable": measure_stable,
    "trec_eval": measure_trec_eval,
}

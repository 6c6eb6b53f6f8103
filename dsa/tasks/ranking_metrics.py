"""Mean average precision (MAP) and mean reciprocal rank (MRR).

Reference: Yin et al. 2016, section 5.2; for the expectation over ties, McSherry and
Najork 2008, "Computing Information Retrieval Performance Measures Efficiently in
the Presence of Tied Scores".
"""

import dataclasses
from collections.abc import Iterable, Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike


@dataclasses.dataclass(frozen=True)
class QuestionMeasures:
    """Ranking metrics of each of the Q questions with a right answer.

    Args:
        questions: names of the questions.
        map: average precision of each question, `(Q,)`.
        mrr: reciprocal rank of each question's first right answer, `(Q,)`.
        both_labels: bool `(Q,)`, whether a question also has a wrong answer. Without
            wrong answers every order is perfect.
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
        scores: `(N,)`; the highest score is ranked first.
        right: bool `(N,)`.
        groups: the question of each candidate.
        ties: rule for tied scores, a key of `TIES`.

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
    """Returns `{question: positions of its rows}`, in the order of the rows."""
    rows = {}
    for row, name in enumerate(groups):
        rows.setdefault(name, []).append(row)
    return rows


def answered_rows(groups: Sequence[str], right: Iterable[bool]) -> np.ndarray:
    """Returns the rows of questions with a right answer, as a bool array `(N,)`.

    Args:
        groups: the question of each row.
        right: bool `(N,)`, whether a row is a right answer.

    Example:
        >>> answered_rows(["a", "a", "b"], [True, False, False]).tolist()
        [True, True, False]
    """
    answered = {name for name, is_right in zip(groups, right, strict=True) if is_right}
    return np.array([name in answered for name in groups], bool)


def measure_expected(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Returns average precision and reciprocal rank of one question, averaged over all
    orders of tied scores.

    A group of n tied scores with r right answers, ranked after N candidates of which P
    are right, contributes to the average precision

        1/R sum_{j=1..n} r/n (P + 1 + (j - 1)(r - 1)/(n - 1)) / (N + j)

    R is the number of right answers to the question; the inner fraction is 0 if n = 1.
    The first group with r > 0 determines the reciprocal rank

        sum_{j=1..n-r+1} C(n - j, r - 1) / C(n, r) / (N + j)

    Args:
        scores: `(N,)`.
        right: bool `(N,)`, with at least one `True`.

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
    """Returns the expected sum of the precisions at the right answers of a tied
    group."""
    total = 0.0
    for j in range(1, n + 1):
        others = (j - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
        total += r / n * (right_before + 1 + others) / (before + j)
    return total


def _expect_reciprocal_rank(n, r, before):
    """Returns the expected reciprocal rank if the first right answer is in a tied
    group of n."""
    return sum(
        comb(n - j, r - 1) / comb(n, r) / (before + j) for j in range(1, n - r + 2)
    )


def measure_stable(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Returns the metrics of `measure_expected`, with ties in file order."""
    return _measure_order(np.argsort(-scores, kind="stable"), right)


def measure_trec_eval(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Returns the metrics of `measure_expected`, with ties as in trec_eval up to
    version 9.

    Scores are in single precision, and ties are in descending order of the answer's id
    as text. The ids are the numbers of the question's answers, from 0.
    """
    names = [str(number) for number in range(len(scores))]
    by_name = np.array(sorted(range(len(scores)), key=names.__getitem__, reverse=True))
    single = scores.astype(np.float32)[by_name]
    return _measure_order(by_name[np.argsort(-single, kind="stable")], right)


def _measure_order(order, right):
    """Returns average precision and reciprocal rank of candidates in a given order."""
    places = np.flatnonzero(right[order]) + 1  # of the right answers, from 1
    precisions = np.arange(1, len(places) + 1) / places
    return float(precisions.mean()), float(1 / places[0])


TIES = {
    "expected": measure_expected,
    "stable": measure_stable,
    "trec_eval": measure_trec_eval,
}

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
        questions: ids of the questions.
        map: average precision of each question, `(Q,)`.
        mrr: reciprocal rank of the first right answer to each question, `(Q,)`.
        both_labels: whether a question also has a wrong answer, bool `(Q,)`. Without
            wrong answers, every order is perfect.
    """

    questions: tuple[str, ...]
    map: np.ndarray
    mrr: np.ndarray
    both_labels: np.ndarray


def measure_questions(
    scores: ArrayLike, right: ArrayLike, groups: Iterable[str], ties: str = "expected"
) -> QuestionMeasures:
    """Returns the `QuestionMeasures` of N candidate answers.

    Args:
        scores: scores of the candidates, `(N,)`; the highest score is ranked first.
        right: whether a candidate is a right answer, bool `(N,)`.
        groups: question of each candidate.
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
    """Returns `{question: positions of the rows}`, in the order of first
    occurrence."""
    rows = {}
    for row, name in enumerate(groups):
        rows.setdefault(name, []).append(row)
    return rows


def answered_rows(groups: Sequence[str], right: Iterable[bool]) -> np.ndarray:
    """Returns whether the question of each row has a right answer, bool `(N,)`.

    Args:
        groups: question of each row.
        right: whether a row is a right answer, bool `(N,)`.

    Example:
        >>> answered_rows(["a", "a", "b"], [True, False, False]).tolist()
        [True, True, False]
    """
    answered = {name for name, is_right in zip(groups, right, strict=True) if is_right}
    return np.array([name in answered for name in groups], bool)


def measure_expected(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Returns the average precision and the reciprocal rank of one question, averaged
    over all orders of tied scores.

    A group of n tied scores with r right answers, ranked after N candidates of which P
    are right, contributes to the average precision

        1/R sum_{j=1..n} r/n (P + 1 + (j - 1)(r - 1)/(n - 1)) / (N + j)

    R is the number of right answers to the question; the inner fraction is 0 if n = 1.
    The first group with r > 0 determines the reciprocal rank

        sum_{j=1..n-r+1} C(n - j, r - 1) / C(n, r) / (N + j)

    Args:
        scores: scores of the candidates, `(N,)`.
        right: whether a candidate is a right answer, bool `(N,)`, with at least one
            `True`.

    Returns: average precision and reciprocal rank.

    Example:
        >>> measure_expected(np.array([2, 2, 1]), np.array([True, False, False]))
        (0.75, 0.75)
    """
    precision, reciprocal_rank = 0.0, 0.0
    ranked, right_ranked = 0, 0  # N and P of the formulas
    for score in sorted(set(scores.tolist()), reverse=True):
        is_tied = scores == score
        n, r = int(is_tied.sum()), int(right[is_tied].sum())
        if r > 0:
            precision += _expect_precisions(n, r, ranked, right_ranked)
            if right_ranked == 0:
                reciprocal_rank = _expect_reciprocal_rank(n, r, ranked)
        ranked += n
        right_ranked += r
    return precision / right_ranked, reciprocal_rank


def _expect_precisions(n, r, ranked, right_ranked):
    """Returns the expected sum of the precisions at the right answers in a group of
    tied scores."""
    total = 0.0
    for j in range(1, n + 1):
        other_right = (j - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
        total += r / n * (right_ranked + 1 + other_right) / (ranked + j)
    return total


def _expect_reciprocal_rank(n, r, ranked):
    """Returns the expected reciprocal rank if the first right answer is in a group of
    tied scores."""
    return sum(
        comb(n - j, r - 1) / comb(n, r) / (ranked + j) for j in range(1, n - r + 2)
    )


def measure_stable(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Returns the metrics of `measure_expected` with ties in file order."""
    return _measure_order(np.argsort(-scores, kind="stable"), right)


def measure_trec_eval(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Returns the metrics of `measure_expected` with ties as in trec_eval up to
    version 9.

    Scores are compared in single precision. Ties are in descending order of the id as
    text; the id of an answer is its position in the question, counted from 0.
    """
    ids = [str(number) for number in range(len(scores))]
    by_id = np.array(sorted(range(len(scores)), key=ids.__getitem__, reverse=True))
    single = scores.astype(np.float32)[by_id]
    return _measure_order(by_id[np.argsort(-single, kind="stable")], right)


def _measure_order(order, right):
    """Returns the average precision and the reciprocal rank of candidates in a given
    order."""
    ranks = np.flatnonzero(right[order]) + 1  # ranks of the right answers, from 1
    precisions = np.arange(1, len(ranks) + 1) / ranks
    return float(precisions.mean()), float(1 / ranks[0])


TIES = {
    "expected": measure_expected,
    "stable": measure_stable,
    "trec_eval": measure_trec_eval,
}

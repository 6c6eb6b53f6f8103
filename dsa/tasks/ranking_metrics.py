"""Mean average precision (MAP) and mean reciprocal rank (MRR).

Reference: Yin et al. 2016, section 5.1; for the expectation over ties, McSherry and
Najork 2008, "Computing Information Retrieval Performance Measures Efficiently in
the Presence of Tied Scores".
"""

import dataclasses
from collections.abc import Iterable
from math import comb

import numpy as np
from numpy.typing import ArrayLike


@dataclasses.dataclass(frozen=True)
class QuestionMeasures:
    """Ranking metrics of the Q questions that have a right answer.

    Args:
        questions: ids of the questions.
        map: float array `(Q,)`, average precision.
        mrr: float array `(Q,)`, reciprocal rank of the first right answer.
        both_labels: bool array `(Q,)`, whether a question also has a wrong answer.
            Without wrong answers, every order is perfect.
    """

    questions: tuple[str, ...]
    map: np.ndarray
    mrr: np.ndarray
    both_labels: np.ndarray


def measure_questions(
    scores: ArrayLike, right: ArrayLike, groups: Iterable[str], ties: str = "expected"
) -> QuestionMeasures:
    """Computes the ranking metrics of N candidate answers, by question.

    Args:
        scores: scores of the candidates, `(N,)`; the highest score is ranked first.
        right: bool `(N,)`, whether a candidate is a right answer.
        groups: question of each candidate.
        ties: rule for tied scores, a key of `TIES`.

    Returns: the `QuestionMeasures`, without questions that have no right answer.

    Example:
        >>> measured = measure_questions([2, 1, 7], [False, True, False], "aab")
        >>> measured.questions, measured.map.tolist()
        (('a',), [0.5])
    """
    scores = np.asarray(scores, np.float64)
    right = np.asarray(right, bool)
    measure = TIES[ties]
    questions = []
    precisions = []
    reciprocal_ranks = []
    both_labels = []
    for name, rows in group_by_question(groups).items():
        if right[rows].any():
            precision, reciprocal_rank = measure(scores[rows], right[rows])
            questions.append(name)
            precisions.append(precision)
            reciprocal_ranks.append(reciprocal_rank)
            both_labels.append(not right[rows].all())
    return QuestionMeasures(
        questions=tuple(questions),
        map=np.array(precisions, np.float64),
        mrr=np.array(reciprocal_ranks, np.float64),
        both_labels=np.array(both_labels, bool),
    )


def group_by_question(groups: Iterable[str]) -> dict[str, list[int]]:
    """Groups row positions by question, `{question: positions}`.

    Questions are in the order of their first row.
    """
    rows = {}
    for row, name in enumerate(groups):
        rows.setdefault(name, []).append(row)
    return rows


def measure_expected(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Computes the expected metrics of one question over all orders of tied scores.

    A group of n tied scores with r right answers, ranked after N candidates of which P
    are right, contributes to the average precision

        1/R sum_{j=1..n} r/n (P + 1 + (j - 1)(r - 1)/(n - 1)) / (N + j)

    R is the number of right answers to the question; the inner fraction is 0 if n = 1.
    The first group with r > 0 determines the reciprocal rank

        sum_{j=1..n-r+1} C(n - j, r - 1) / C(n, r) / (N + j)

    Args:
        scores: scores of the candidates, `(N,)`.
        right: bool `(N,)`, whether a candidate is a right answer; at least one is.

    Returns: tuple of average precision and reciprocal rank.

    Example:
        >>> measure_expected(np.array([2, 2, 1]), np.array([True, False, False]))
        (0.75, 0.75)
    """
    precision_sum = 0.0
    reciprocal_rank = 0.0
    num_ranked = 0  # N of the formulas
    num_right_ranked = 0  # P
    for score in sorted(set(scores.tolist()), reverse=True):
        is_tied = scores == score
        n, r = int(is_tied.sum()), int(right[is_tied].sum())
        if r > 0:
            precision_sum += _sum_expected_precisions(
                n, r, num_ranked, num_right_ranked
            )
            if num_right_ranked == 0:
                reciprocal_rank = _compute_expected_reciprocal_rank(n, r, num_ranked)
        num_ranked += n
        num_right_ranked += r
    return precision_sum / num_right_ranked, reciprocal_rank


def _sum_expected_precisions(n, r, num_ranked, num_right_ranked):
    """Returns the expected sum of the precisions at the right answers in a group of
    tied scores. The arguments are n, r, N and P of the formula."""
    total = 0.0
    for j in range(1, n + 1):
        other_right = (j - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
        total += r / n * (num_right_ranked + 1 + other_right) / (num_ranked + j)
    return total


def _compute_expected_reciprocal_rank(n, r, num_ranked):
    """Returns the expected reciprocal rank if the first right answer is in a group of
    tied scores. The arguments are n, r and N of the formula."""
    return sum(
        comb(n - j, r - 1) / comb(n, r) / (num_ranked + j) for j in range(1, n - r + 2)
    )


def measure_stable(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Computes the metrics of `measure_expected` with tied scores in file order."""
    return _measure_order(np.argsort(-scores, kind="stable"), right)


def measure_trec_eval(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Computes the metrics of `measure_expected` with ties as in trec_eval up to
    version 9.

    Scores are compared in single precision. Tied answers are in descending order of
    their ids, compared as strings. The id of an answer is its position in the question,
    counted from 0.
    """
    by_id = np.array(sorted(range(len(scores)), key=str, reverse=True))
    single = scores.astype(np.float32)[by_id]
    return _measure_order(by_id[np.argsort(-single, kind="stable")], right)


def _measure_order(order, right):
    """Returns the average precision and the reciprocal rank of ranked candidates.

    Args:
        order: int array `(N,)`, candidates in the order of their ranks.
        right: bool `(N,)`, whether a candidate is a right answer.
    """
    ranks = np.flatnonzero(right[order]) + 1  # ranks of the right answers, from 1
    precisions = np.arange(1, len(ranks) + 1) / ranks
    return float(precisions.mean()), float(1 / ranks[0])


TIES = {
    "expected": measure_expected,
    "stable": measure_stable,
    "trec_eval": measure_trec_eval,
}

import itertools

import numpy as np
import pytest

from dsa.tasks.ranking_metrics import (
    TIES,
    measure_expected,
    measure_questions,
    measure_stable,
    measure_trec_eval,
)

# scores, labels -> average precision, reciprocal rank
TABLE = [
    ([2, 2, 1], [1, 0, 0], 0.75, 0.75),
    ([1, 1, 1, 1], [1, 0, 0, 1], 0.680556, 0.722222),
    ([3, 2, 2, 2, 1], [0, 1, 0, 1, 1], 0.533333, 0.444444),
    ([0, 0, 0], [0, 1, 0], 0.611111, 0.611111),
]


def measure(function, scores, labels):
    return function(np.array(scores, float), np.array(labels, bool))


def measure_order(labels):
    """Average precision and reciprocal rank of labels in the order of their ranks."""
    precisions, right = [], 0
    for place, label in enumerate(labels, start=1):
        right += label
        if label:
            precisions.append(right / place)
    first = next(place for place, label in enumerate(labels, start=1) if label)
    return sum(precisions) / right, 1 / first


def measure_every_order(scores, labels):
    """Returns the mean over all orders of the candidates that agree with the scores."""
    values = [
        measure_order([labels[row] for row in order])
        for order in itertools.permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    return np.mean(values, axis=0)


@pytest.mark.parametrize(("scores", "labels", "precision", "rank"), TABLE)
def test_metrics_are_expectations_over_ties(scores, labels, precision, rank):
    result = measure(measure_expected, scores, labels)
    assert result == pytest.approx((precision, rank), abs=1e-6)


@pytest.mark.parametrize("count", range(1, 7))
def test_the_expectation_is_the_mean_over_all_orders(count):
    """Of every labelling, and scores without ties, all alike, and in between."""
    for labels in itertools.product([0, 1], repeat=count):
        for kinds in range(1, count + 1) if any(labels) else ():
            scores = [number % kinds for number in range(count)]
            result = measure(measure_expected, scores, labels)
            expected = measure_every_order(scores, labels)
            np.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.parametrize("measure_ties", TIES.values())
def test_all_tie_rules_agree_without_ties(measure_ties):
    scores, labels = [0.5, -2, 3, 1], [1, 0, 0, 1]
    # ranks: wrong, right, right, wrong
    expected = ((1 / 2 + 2 / 3) / 2, 1 / 2)
    assert measure(measure_ties, scores, labels) == pytest.approx(expected)


def test_stable_ties_keep_the_order_of_the_file():
    assert measure(measure_stable, [1, 1, 1], [0, 1, 0]) == (0.5, 0.5)
    assert measure(measure_stable, [1, 2, 2], [1, 0, 1]) == pytest.approx(
        ((1 / 2 + 2 / 3) / 2, 1 / 2)
    )


def test_trec_eval_sorts_ties_by_id_as_text_from_the_last():
    labels = np.zeros(11, bool)
    labels[10] = True  # ids in order: 9 8 7 6 5 4 3 2 10 1 0
    assert measure(measure_trec_eval, np.zeros(11), labels) == (1 / 9, 1 / 9)


def test_trec_eval_compares_scores_in_single_precision():
    scores, labels = [1 + 1e-12, 1], [1, 0]
    assert measure(measure_stable, scores, labels) == (1, 1)
    assert measure(measure_trec_eval, scores, labels) == (0.5, 0.5)


def test_only_questions_with_a_right_answer_are_measured():
    """`a`: ranks wrong, right; `b`: no right answer; `c`: all right, scattered rows."""
    groups = ["c", "a", "b", "a", "c"]
    scores, right = [1, 7, 9, 5, 3], [True, False, False, True, True]
    result = measure_questions(scores, right, groups)
    assert result.questions == ("c", "a")
    assert result.map.tolist() == [1, 0.5] == result.mrr.tolist()
    assert result.both_labels.tolist() == [False, True]


def test_no_questions_are_no_error():
    assert measure_questions([1], [False], ["a"]).map.shape == (0,)

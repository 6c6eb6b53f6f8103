import numpy as np
import pytest
from scipy.special import log_softmax

from dsa.data.corpora.catalogue import NLI, PARAPHRASE, POLARITY
from dsa.tasks.relatedness import Relatedness

GOLD = np.array([0, 0, 1, 2, 2, 2])
PREDICTED = np.array([0, 1, 1, 2, 0, 2])
LOGITS = np.log(np.where(np.eye(3)[PREDICTED] > 0, 0.5, 0.25))
SCALE = Relatedness("relatedness", 1, 5)


def test_metrics_match_a_hand_calculation():
    result = NLI.metrics(LOGITS, GOLD, ["x", "x", "y", "y", None, None])
    assert result["count"] == 6
    assert result["accuracy"] == pytest.approx(4 / 6)
    assert result["standard_error"] == pytest.approx((4 / 6 * 2 / 6 / 6) ** 0.5)
    # by label: f1 of 1 in 2 and 2 predicted; 1 of 1 and 2; 2 of 3 and 2
    assert result["macro_f1"] == pytest.approx((1 / 2 + 2 / 3 + 4 / 5) / 3)
    assert result["loss"] == pytest.approx(-(4 * np.log(0.5) + 2 * np.log(0.25)) / 6)
    assert result["confusion"] == [[1, 1, 0], [0, 1, 0], [1, 0, 2]]
    assert result["by_label"]["contradiction"] == {
        "count": 3,
        "accuracy": pytest.approx(2 / 3),
    }
    assert result["by_group"] == {
        "unknown": {"count": 2, "accuracy": 0.5},
        "x": {"count": 2, "accuracy": 0.5},
        "y": {"count": 2, "accuracy": 1.0},
    }


def test_a_label_that_never_occurs_is_no_error():
    result = NLI.metrics(LOGITS[:2], GOLD[:2])
    assert result["by_label"]["neutral"] == {"count": 0, "accuracy": None}
    assert "by_group" not in result


def test_macro_f1_leaves_out_labels_that_neither_occur_nor_are_predicted():
    """Three of three rows are right, and no row or prediction has the third label."""
    gold = np.array([0, 1, 1])
    result = NLI.metrics(np.eye(3)[gold], gold)
    assert result["macro_f1"] == pytest.approx(1)
    text = "\n".join(NLI.as_text(result))
    assert "macro F1  100.00 % (labels that do not occur are excluded: 1)" in text
    wrong = NLI.metrics(np.eye(3)[[0, 1, 2]], gold)  # predicted once
    assert wrong["macro_f1"] == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert "do not occur" not in "\n".join(NLI.as_text(wrong))


def make_logits(scores):
    """Returns logits on two neighbouring integers whose expectation is the score."""
    shares = np.maximum(0, 1 - np.abs(np.array(scores)[:, None] - np.arange(1, 6)))
    return np.log(np.maximum(shares, 1e-30))


def test_a_score_is_the_expectation_over_the_scale():
    scores = [1, 2.25, 4.5, 5]
    np.testing.assert_allclose(
        SCALE.compute_expected_scores(make_logits(scores)), scores
    )
    np.testing.assert_allclose(SCALE.compute_expected_scores(np.zeros((2, 5))), [3, 3])


def test_relatedness_is_measured_by_correlation_and_squared_error():
    gold, predicted = np.array([1, 2, 3.5, 5]), [1.5, 2, 5, 4]
    result = SCALE.metrics(make_logits(predicted), gold, ["a", "a", None, "b"])
    centred = [x - np.mean(x) for x in (gold, predicted)]
    pearson = (centred[0] @ centred[1]) / np.prod(
        [np.sum(c**2) for c in centred]
    ) ** 0.5
    assert result["pearson"] == pytest.approx(pearson)
    ranks = [np.array([0, 1, 2, 3]) - 1.5, np.array([0, 1, 3, 2]) - 1.5]
    assert result["spearman"] == pytest.approx(ranks[0] @ ranks[1] / 5)
    assert result["mse"] == pytest.approx((0.5**2 + 0 + 1.5**2 + 1) / 4)
    assert result["by_group"]["a"] == {"count": 2, "pearson": pytest.approx(1)}
    assert result["by_group"]["b"] == {"count": 1, "pearson": 0.0}


def test_the_loss_of_scores_is_the_divergence_from_the_target_distribution():
    logits = np.random.default_rng(0).normal(size=(3, 5))
    gold = np.array([1, 3.25, 5])
    target = np.array([[1, 0, 0, 0, 0], [0, 0, 0.75, 0.25, 0], [0, 0, 0, 0, 1]])
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / 3
    expected = -(target * log_softmax(logits, axis=1)).sum(axis=1).mean() - entropy
    assert SCALE.metrics(logits, gold)["loss"] == pytest.approx(expected)


def test_constant_predictions_have_no_correlation():
    result = SCALE.metrics(np.zeros((3, 5)), np.array([1, 2, 4.0]))
    assert result["pearson"] == result["spearman"] == 0.0
    logits = np.random.default_rng(0).normal(size=(3, 5))
    result = SCALE.metrics(logits, np.full(3, 3.0), ["a"] * 3)  # constant gold scores
    assert result["pearson"] == result["spearman"] == 0.0
    assert result["by_group"]["a"]["pearson"] == 0.0


def test_f1_is_reported_only_with_a_positive_label():
    """Of the positive label: 2 right, 1 false, 1 missed."""
    gold, predicted = np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 1, 0])
    result = PARAPHRASE.metrics(np.eye(2)[predicted], gold)
    assert result["f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert 0 < result["f1_standard_error"] < 0.5
    assert "f1" not in POLARITY.metrics(np.eye(2)[predicted], gold)
    (line,) = (line for line in PARAPHRASE.as_text(result) if line.startswith("  F1 "))
    assert line.startswith("  F1 of 'paraphrase'  66.67 % +- ")
    everything = PARAPHRASE.metrics(np.eye(2)[np.ones(5, int)], gold)
    assert everything["f1"] == pytest.approx(2 * 3 / (2 * 3 + 2))


def test_a_metric_is_the_mean_of_the_unit_values():
    values = NLI.unit_values(LOGITS, GOLD)["accuracy"]
    assert values.tolist() == [1, 0, 1, 1, 0, 1]
    logits = make_logits([1.5, 2])
    values = SCALE.unit_values(logits, np.array([1, 4.0]))
    assert values["mse"] == pytest.approx([0.25, 4])

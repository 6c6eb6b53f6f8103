"""Metrics of sets with three or two labels, from given logits."""

import math

import numpy as np
import pytest

from dsa.data.corpora.catalogue import CORPORA, NLI, TWO_WAY_NLI
from dsa.errors import InputError
from dsa.evaluation.robustness.measure import (
    check_labels,
    measure_set,
    merge_non_entailment,
    reorder_logits,
)
from dsa.tasks.classification import Classification

# probabilities of entailment, neutral, contradiction
SHARES = np.array([[0.4, 0.3, 0.3], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.4, 0.5, 0.1]])

LOGITS = np.log(SHARES).astype(np.float32)


def test_the_other_labels_are_added_as_probabilities():
    joined = merge_non_entailment(LOGITS)
    shares = np.exp(joined) / np.exp(joined).sum(axis=1, keepdims=True)
    expected = np.stack([SHARES[:, 0], SHARES[:, 1:].sum(axis=1)], axis=1)
    np.testing.assert_allclose(shares, expected, rtol=1e-6)


def test_two_labels_are_measured_by_the_sum_and_by_argmax():
    """Row 1: entailment is the most probable label, and less probable than not."""
    gold = np.array([0, 0, 1, 1])
    entry = measure_set(TWO_WAY_NLI, LOGITS, gold, list("xxyy"), by_label=True)
    assert entry["accuracy"] == 0.75 and entry["argmax"]["accuracy"] == 1.0
    assert entry["by_group"]["x"] == {"count": 2, "accuracy": 0.5}
    assert entry["by_group_and_label"] == {
        "x": {
            "entailment": {"count": 2, "accuracy": 0.5},
            "non-entailment": {"count": 0, "accuracy": None},
        },
        "y": {
            "entailment": {"count": 0, "accuracy": None},
            "non-entailment": {"count": 2, "accuracy": 1.0},
        },
    }
    parts = entry["argmax"]["by_group_and_label"]
    assert parts["x"]["entailment"]["accuracy"] == 1.0
    assert entry["loss"] == pytest.approx(-np.log([0.4, 0.6, 0.9, 0.6]).mean())


def test_three_labels_have_their_metrics_an_interval_and_the_most_frequent_label():
    gold = np.array([0, 0, 2, 0], np.int8)
    entry = measure_set(NLI, LOGITS, gold)
    assert entry["accuracy"] == entry["majority"] == 0.75 and "argmax" not in entry
    z, n, p = 1.959964, 4, 0.75  # Wilson 1927
    middle, half = (
        (p + z * z / 2 / n),
        z * math.sqrt(p * (1 - p) / n + (z / 2 / n) ** 2),
    )
    ends = [(middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)]
    assert entry["interval"] == pytest.approx(ends, rel=1e-5)
    assert "by_group_and_label" not in entry


def test_labels_in_another_order_are_put_in_order():
    own = Classification("own", NLI.inputs, ("neutral", "contradiction", "entailment"))
    check_labels(own, "run")
    np.testing.assert_array_equal(reorder_logits(LOGITS[:, [1, 2, 0]], own), LOGITS)


@pytest.mark.parametrize("task", ["msrp", "sick", "wikiqa", "trec", "hans"])
def test_a_run_with_other_labels_is_refused(task):
    message = "run: the suite requires the labels entailment, neutral"
    with pytest.raises(InputError, match=message):
        check_labels(CORPORA[task].task, "run")

"""Expected calibration error, Guo et al. 2017, equation 3."""

import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.tasks.calibration import measure_calibration_error


def test_the_calibration_error_matches_a_loop_over_the_bins():
    random = np.random.default_rng(3)
    logits, labels = 3 * random.normal(size=(211, 3)), random.integers(0, 3, 211)
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == labels
    expected = 0.0
    for m in range(1, 16):  # the interval ((m - 1) / 15, m / 15]
        rows = (confidence > (m - 1) / 15) & (confidence <= m / 15)
        if rows.any():
            gap = abs(right[rows].mean() - confidence[rows].mean())
            expected += rows.sum() / 211 * gap
    measured = measure_calibration_error(probabilities, labels)
    assert measured == pytest.approx(expected)
    assert NLI.metrics(logits, labels)["calibration_error"] == pytest.approx(expected)


def test_a_confidence_on_a_boundary_belongs_to_the_lower_bin():
    """With two bins, 0.5 and 0.6 are apart: gaps of 0.5 and 0.4 do not cancel."""
    probabilities = np.array([[0.5, 0.5, 0.0], [0.6, 0.4, 0.0]])
    measured = measure_calibration_error(probabilities, np.array([1, 0]), bins=2)
    assert measured == pytest.approx((0.5 + 0.4) / 2)


def test_the_calibration_error_is_part_of_an_evaluation_as_text():
    logits = np.log([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]])
    entry = NLI.metrics(logits, np.array([0, 0]))
    line = "  expected calibration error  50.00 % (15 bins)"
    assert line in list(NLI.as_text(entry))
    del entry["calibration_error"]  # an evaluation of an earlier version
    assert not any("calibration" in line for line in NLI.as_text(entry))

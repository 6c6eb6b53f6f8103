import numpy as np
import pytest

from dsa.tasks.class_weights import compute_class_weights

LABELS = np.array([0, 0, 0, 0, 0, 0, 2, 2])  # no row has the label 1
NAMES = ["no", "maybe", "yes"]


def test_balanced_weights_are_inverse_to_the_number_of_rows_with_mean_1():
    weights = compute_class_weights("balanced", NAMES, LABELS)
    np.testing.assert_allclose(weights, [8 / (2 * 6), 1, 8 / (2 * 2)])
    assert weights[LABELS].mean() == pytest.approx(1)


def test_a_label_without_a_given_weight_weighs_1():
    weights = compute_class_weights({"yes": 5.0}, NAMES, LABELS)
    assert weights.tolist() == [1, 1, 5]
    assert compute_class_weights(None, NAMES, LABELS) is None

"""Tests of the probabilities of logits."""

import numpy as np
import pytest
from scipy import special

from dsa.tasks.probabilities import softmax


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_equals_that_of_scipy_bit_by_bit(axis):
    logits = np.random.default_rng(1).normal(scale=100, size=(7, 3))
    assert np.array_equal(softmax(logits, axis), special.softmax(logits, axis))

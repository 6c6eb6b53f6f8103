"""Steps: their number, and the weights of filled batches."""

import keras
import numpy as np
import pytest

from dsa.data.batching.training_batches import fill_to_batch_size
from dsa.training.steps import Steps

pytestmark = pytest.mark.keras  # run on JAX in CI too


def test_the_last_interval_of_a_training_can_be_shorter():
    assert Steps(interval=5, last=13).intervals == 3
    assert Steps(interval=5, last=15).intervals == 3


def test_a_filled_batch_weighs_as_its_real_rows():
    batch = {"premise": np.array([[1, 2], [3, 4], [5, 0]])}, np.array([2, 0, 1])
    inputs, labels, weights = fill_to_batch_size(batch, 4)
    assert inputs["premise"].tolist() == [[1, 2], [3, 4], [5, 0], [1, 2]]
    assert labels.tolist() == [2, 0, 1, 2]
    assert weights.tolist() == pytest.approx([4 / 3, 4 / 3, 4 / 3, 0])
    loss = keras.losses.MeanSquaredError()  # the mean over all four rows
    found = loss(np.zeros((4, 1)), np.array([[1], [2], [3], [9]]), weights)
    assert float(found) == pytest.approx((1 + 4 + 9) / 3)

"""Batches with a fixed number of rows."""

import numpy as np


def fill_to_batch_size(batch, size):
    """A batch with so many rows: copies of its first row, with weight 0, fill it.

    The weights of the other rows make the mean loss over all rows the mean over those.
    In means over several batches, as Keras logs them, the batch counts as one of so
    many rows.

    Args:
        batch: inputs, a dictionary of `(B, ...)`, and labels `(B,)`.
        size: rows, B or more.

    Returns: inputs, labels, and weights `(size,)`, float32.
    """
    inputs, labels = batch
    count = len(labels)
    rows = np.zeros(size, np.int64)
    rows[:count] = np.arange(count)
    weights = np.zeros(size, np.float32)
    weights[:count] = size / count
    return {name: ids[rows] for name, ids in inputs.items()}, labels[rows], weights

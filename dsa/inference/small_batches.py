"""Small batches on backends that compile a program for each shape.

Small batches are padded to few shapes, so that a compiled program is likely reused.
"""

import numpy as np

from dsa.inference.rounding import round_up_to_power_of_two

MIN_PADDED_LENGTH = 8  # tokens
MAX_SMALL_WEIGHTS = 256 * 64**2  # attention weights of a small batch


def is_small_batch(lengths: np.ndarray, batch_size: int) -> bool:
    """Returns whether rows fit into one batch of at most `MAX_SMALL_WEIGHTS` weights.

    Args:
        lengths: int array `(N,)` or `(N, T)`, numbers of tokens of the sentences.
        batch_size: maximum number of rows per batch.
    """
    longest = round_up_to_power_of_two(lengths.max(), MIN_PADDED_LENGTH)
    rows = round_up_to_power_of_two(len(lengths))
    return len(lengths) <= batch_size and rows * longest**2 <= MAX_SMALL_WEIGHTS


def pad_positions(positions: np.ndarray) -> np.ndarray:
    """Pads an array of row positions with 0 to a length that is a power of two."""
    padded = np.zeros(round_up_to_power_of_two(len(positions)), int)
    padded[: len(positions)] = positions
    return padded

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


def make_padded_positions(num_rows: int) -> np.ndarray:
    """Returns the positions of N rows, padded with 0 to a power of two.

    Example:
        >>> make_padded_positions(3).tolist()
        [0, 1, 2, 0]
    """
    positions = np.zeros(round_up_to_power_of_two(num_rows), int)
    positions[:num_rows] = np.arange(num_rows)
    return positions

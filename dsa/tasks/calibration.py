"""Calibration of predicted probabilities."""

import numpy as np

BINS = 15  # as in Guo et al. 2017


def expected_calibration_error(
    probabilities: np.ndarray, labels: np.ndarray, bins: int = BINS
) -> float:
    """Returns the expected calibration error (ECE) of N predictions.

        ECE = sum_m |B_m| / N |accuracy(B_m) - confidence(B_m)|

    The confidence of a row is its largest probability. The bins B_m divide the interval
    from 0 to 1 into parts of equal width; a confidence on a boundary belongs to the
    lower bin.

    Args:
        probabilities: predicted probabilities, `(N, K)`; each row sums to 1.
        labels: ids of the gold labels, `(N,)`.
        bins: number of bins.

    Returns: a fraction. It is 0 if confidence and accuracy are equal in every bin.

    Reference: Guo et al. 2017, https://arxiv.org/abs/1706.04599, equation 3.

    Example:
        >>> probabilities = np.array([[0.9, 0.1], [0.9, 0.1]])
        >>> round(expected_calibration_error(probabilities, np.array([0, 1])), 6)
        0.4
    """
    confidences = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == labels
    edges = np.linspace(0, 1, bins + 1)[1:-1]
    bin_of_row = np.digitize(confidences, edges, right=True)
    gaps = np.bincount(bin_of_row, weights=right - confidences)  # |B_m| times the gap
    return float(np.abs(gaps).sum() / len(labels))

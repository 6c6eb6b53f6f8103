"""Calibration of predicted probabilities."""

import numpy as np

BINS = 15  # as in Guo et al. 2017


def measure_calibration_error(
    probabilities: np.ndarray, labels: np.ndarray, bins: int = BINS
) -> float:
    """Returns the expected calibration error (ECE) of N predictions.

        ECE = sum_m |B_m| / N |accuracy(B_m) - confidence(B_m)|

    The confidence of a prediction is its largest probability. The bins B_m have equal
    width and cover the interval [0, 1]. A confidence on the boundary of two bins
    belongs to the lower bin.

    Args:
        probabilities: predicted probabilities, `(N, K)`; each row sums to 1.
        labels: ids of the gold labels, `(N,)`.
        bins: number of bins.

    Returns: the ECE, a fraction. It is 0 if mean confidence and accuracy are equal in
        every bin.

    Reference: Guo et al. 2017, https://arxiv.org/abs/1706.04599, equation 3.

    Example:
        >>> probabilities = np.array([[0.9, 0.1], [0.9, 0.1]])
        >>> round(measure_calibration_error(probabilities, np.array([0, 1])), 6)
        0.4
    """
    confidences = probabilities.max(axis=1)
    is_correct = probabilities.argmax(axis=1) == labels
    edges = np.linspace(0, 1, bins + 1)[1:-1]
    bin_of_row = np.digitize(confidences, edges, right=True)
    # |B_m| (accuracy(B_m) - confidence(B_m))
    gaps = np.bincount(bin_of_row, weights=is_correct - confidences)
    return float(np.abs(gaps).sum() / len(labels))

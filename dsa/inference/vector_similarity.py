"""Cosines of sentence vectors."""

import numpy as np


def normalize_rows(vectors: np.ndarray) -> np.ndarray:
    """Vectors `(..., S)` with length 1; a vector of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The cosine of every vector `(..., S)` of one array with every one of another."""
    return normalize_rows(first) @ normalize_rows(second).T

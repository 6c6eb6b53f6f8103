"""Functions for sentence vectors, without Keras."""

from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.models.registry import FAMILIES, list_encoder_names


def check_has_encoder(path: Path, family_name: str) -> None:
    """Raises `InputError` if the model family is not a sentence encoder.

    Args:
        path: path of the run.
        family_name: name of the model family.
    """
    if not FAMILIES[family_name].encodes:
        raise InputError(
            f"{path}: sentence vectors require a sentence encoder "
            f"({', '.join(list_encoder_names())}). Received: '{family_name}'"
        )


def normalize_rows(vectors: np.ndarray) -> np.ndarray:
    """L2-normalizes vectors `(..., S)`. Zero vectors are unchanged."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(norms == 0, 1, norms)


def compute_cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Returns the cosine similarities `(N, M)` of vectors `(N, S)` and `(M, S)`.

    For a single vector `(S,)`, the result lacks the axis N or M.
    """
    return normalize_rows(first) @ normalize_rows(second).T

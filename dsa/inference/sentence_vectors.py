"""Functions for sentence vectors, without Keras."""

from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.models.registry import FAMILIES, list_encoder_names


def check_encodes(path: Path, family_name: str) -> None:
    """Raises `InputError` if the model family has no sentence vectors.

    Args:
        path: path of the run.
        family_name: name of the model family.
    """
    if not FAMILIES[family_name].encodes:
        raise InputError(
            f"{path}: sentence vectors require a sentence encoder "
            f"({', '.join(list_encoder_names())}). Received: pair model '{family_name}'"
        )


def normalize_rows(vectors: np.ndarray) -> np.ndarray:
    """L2-normalizes vectors `(..., S)`. Zero vectors are unchanged."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Returns the cosine similarities `(N, M)` of vectors `(N, S)` and `(M, S)`.

    A single vector `(S,)` has no axis in the result.
    """
    return normalize_rows(first) @ normalize_rows(second).T

"""Which runs have vectors of sentences, and what is computed from them. No Keras."""

from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.models.registry import encoder_names


def check_encodes(path: Path, experiment: Experiment) -> None:
    """Raises `InputError` if sentence vectors are asked of a run that has none."""
    if not experiment.family.encodes:
        raise InputError(
            f"{path}: '{experiment.model.name}' reads pairs, and has no vector of a "
            f"sentence. Models that encode: {', '.join(encoder_names())}"
        )


def normalize_rows(vectors: np.ndarray) -> np.ndarray:
    """Vectors `(..., S)` with length 1; a vector of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The cosine of every vector `(..., S)` of one array with every one of another."""
    return normalize_rows(first) @ normalize_rows(second).T

"""What a trained model answers."""

from typing import NamedTuple

import numpy as np

from dsa.tasks.relatedness import Relatedness, expected_score


class Prediction(NamedTuple):
    """The most probable label and the probability of every label."""

    label: str
    probabilities: dict[str, float]


class Score(NamedTuple):
    """The expected score and the probability of every whole number of the scale."""

    score: float
    probabilities: dict[str, float]


def answer(task, logits):
    """The `Prediction`, or for relatedness the `Score`, of one row's logits.

    Args:
        task: the run's `Task`.
        logits: `(outputs,)`.
    """
    from scipy.special import softmax

    shares = softmax(logits.astype(np.float64)).tolist()
    probabilities = dict(zip(task.names, shares, strict=True))
    if isinstance(task, Relatedness):
        (score,) = expected_score(task, logits[None]).tolist()
        return Score(score, probabilities)
    return Prediction(max(probabilities, key=probabilities.get), probabilities)

"""Scores in corpus files."""

import math

from dsa.errors import InputError


def score_of(text, task, place):
    """A text as a score of a `Relatedness` task.

    Raises: `InputError` for a text that is no number, or one outside the scale.
    """
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not task.lowest <= score <= task.highest:
        raise InputError(
            f"{place}: a score from {task.lowest} to {task.highest} is needed. "
            f"Received: {text[:20]!r}"
        )
    return score

"""Relatedness task: regression of a score on a scale of integers."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from dsa.tasks.probabilities import softmax
from dsa.tasks.task import PAIR, Groups, Task, list_groups, with_groups


class Score(NamedTuple):
    """Expected score, and the probabilities of the integers of the scale."""

    score: float
    probabilities: dict[str, float]


@dataclasses.dataclass(frozen=True)
class Relatedness(Task):
    """Task of predicting the score of a pair, as a distribution over the integers of a
    scale.

    Args:
        name: name of the task.
        lowest: lowest score, a nonnegative integer.
        highest: highest score, an integer.

    Raises: `ValueError` if `lowest` is negative, because -1 marks unlabelled rows.

    Reference: Tai et al. 2015, section 4.2, equations 15 and 16.
    """

    name: str
    lowest: int
    highest: int
    inputs = PAIR
    rows = "pairs"
    selects = "pearson"
    head = "relatedness_regressor"
    number_type = np.float32  # the number of a label is the score
    compares_rows = True  # a correlation requires different scores

    def __post_init__(self):
        if self.lowest < 0:
            raise ValueError(
                "`lowest` must not be negative, because -1 marks unlabelled rows. "
                f"Received: {self.lowest}"
            )

    @property
    def scale(self) -> np.ndarray:
        """Integers of the scale, `(outputs,)`."""
        return np.arange(self.lowest, self.highest + 1)

    @property
    def outputs(self) -> int:
        return self.highest - self.lowest + 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(number) for number in self.scale)

    @property
    def answers(self) -> str:
        return f"a score from {self.lowest} to {self.highest}"

    def number(self, label: Any) -> float:
        return float(label)

    def restore_label(self, number: float) -> float:
        """Returns a float32 score as a float with the same printed digits."""
        return float(str(number))

    def describe(self, number: float) -> str:
        return f"score {number:g}"

    def loss(self) -> Any:
        from dsa.tasks.score_divergence import ScoreDivergence

        return ScoreDivergence(self.lowest)

    def training_metrics(self) -> list[Any]:
        return []

    def metrics(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, Any]:
        """Computes the metrics of N rows from their logits; see `Task.metrics`.

        Returns: a dictionary with the keys
            `count`: N;
            `loss`: mean KL divergence, in nats (Tai et al. 2015, equation 16);
            `pearson`, `spearman`: correlations of predicted and gold scores; 0 if the
            predicted or the gold scores are constant;
            `mse`: mean squared error, in squared units of the scale;
            `by_group`: Pearson's r and number of rows of each group, if `groups` is
            given.
        """
        return with_groups(self._measure, self.selects, logits, labels, groups)

    def unit_values(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, np.ndarray]:
        """Returns `{"mse": squared errors (N,)}`; see `Task.unit_values`.

        The correlations are not means over rows, so they have no values per row.
        """
        return {"mse": (self.compute_expected_scores(logits) - labels) ** 2}

    def _measure(self, logits, scores):
        """Returns all metrics of `metrics` except `count` and `by_group`."""
        from scipy.special import log_softmax, xlogy

        log_probabilities = log_softmax(logits.astype(np.float64), axis=1)
        target = self.compute_target_distribution(scores)
        divergence = (xlogy(target, target) - target * log_probabilities).sum(axis=1)
        return {
            "loss": float(divergence.mean()),
            **measure_scores(self.compute_expected_scores(logits), scores),
        }

    def answer(self, logits: np.ndarray) -> Score:
        """Returns the `Score` for the logits of one row, `(outputs,)`."""
        probabilities = softmax(logits.astype(np.float64)).tolist()
        score = float(self.compute_expected_scores(logits[np.newaxis])[0])
        return Score(score, dict(zip(self.names, probabilities, strict=True)))

    def as_text(self, entry: Mapping[str, Any]) -> Iterator[str]:
        yield f"  Pearson   {entry['pearson']:.4f}"
        yield f"  Spearman  {entry['spearman']:.4f}"
        yield f"  MSE       {entry['mse']:.4f}"
        yield f"  loss      {entry['loss']:.4f}"
        groups = list_groups(entry)
        if groups:
            yield f"  {'group':20}{'count':>8}"
        for name, part in groups:
            yield f"  {name:20}{part['count']:8d}   Pearson {part['pearson']:.4f}"

    def compute_target_distribution(self, scores: np.ndarray) -> np.ndarray:
        """Computes the target distributions of scores over the integers of the scale.

        The probability of a score is divided between the two nearest integers (Tai et
        al. 2015, section 4.2).

        Args:
            scores: gold scores, `(N,)`.

        Returns: array `(N, outputs)`; each row sums to 1.
        """
        return np.maximum(0, 1 - np.abs(scores[:, None] - self.scale))

    def compute_expected_scores(self, logits: np.ndarray) -> np.ndarray:
        """Computes the expected scores `(N,)` from logits `(N, outputs)`."""
        return softmax(logits.astype(np.float64), axis=1) @ self.scale


def measure_scores(predicted: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Computes the correlations and the squared error of N predicted scores.

    Args:
        predicted: predicted scores, `(N,)`.
        scores: gold scores, `(N,)`.

    Returns: a dictionary with the keys `pearson`, `spearman` and `mse`, see
        `Relatedness.metrics`.
    """
    from scipy.stats import pearsonr, spearmanr

    pearson: Any = 0.0
    spearman: Any = 0.0
    if len(scores) >= 2 and np.ptp(predicted) != 0 and np.ptp(scores) != 0:
        pearson, _ = pearsonr(predicted, scores)
        spearman, _ = spearmanr(predicted, scores)
    return {
        "pearson": float(pearson),
        "spearman": float(spearman),
        "mse": float(np.mean((predicted - scores) ** 2)),
    }

"""A score on a scale."""

import dataclasses

import numpy as np

from dsa.tasks.inputs import PAIR


@dataclasses.dataclass(frozen=True)
class Relatedness:
    """A score on a scale, as a distribution over its whole numbers (Tai et al. 2015,
    section 4.2, equations 15 and 16).

    Args:
        name: of the task.
        lowest, highest: ends of the scale, whole numbers, not below 0.
    """

    name: str
    lowest: int
    highest: int
    inputs = PAIR
    rows = "pairs"
    metric = "pearson"
    number_type = np.float32  # of labels as numbers

    def number(self, label):
        """The score itself."""
        return float(label)

    @property
    def outputs(self):
        """Number of the model's logits: the scale's whole numbers."""
        return self.highest - self.lowest + 1

    @property
    def names(self):
        """What each logit is of."""
        return tuple(str(each) for each in range(self.lowest, self.highest + 1))

    @property
    def answers(self):
        """What the model can answer, in words."""
        return f"a score from {self.lowest} to {self.highest}"


def relatedness(task, logits, scores):
    """Correlation of predicted with gold scores.

    Returns: a dictionary: `loss`, mean KL divergence in nats (Tai et al. 2015,
        equation 16); `pearson` and `spearman`, 0 where either side is constant;
        `mse`, in squared units of the scale.
    """
    from scipy.special import log_softmax, xlogy

    log_shares = log_softmax(logits.astype(np.float64), axis=1)
    target = target_shares(task, scores)
    return {
        "loss": float((xlogy(target, target) - target * log_shares).sum(1).mean()),
        **correlation(expected_score(task, logits), scores),
    }


def target_shares(task, scores):
    """Scores as distributions over the scale's whole numbers, `(N, outputs)`: a score
    between two of them is shared between them (Tai et al. 2015, section 4.2)."""
    scale = np.arange(task.lowest, task.highest + 1)
    return np.maximum(0, 1 - np.abs(scores[:, None] - scale))


def correlation(predicted, scores):
    """`pearson`, `spearman` (0 where either side is constant) and `mse`."""
    from scipy.stats import pearsonr, spearmanr

    constant = len(scores) < 2 or np.ptp(predicted) == 0 or np.ptp(scores) == 0
    return {
        "pearson": 0.0 if constant else float(pearsonr(predicted, scores)[0]),
        "spearman": 0.0 if constant else float(spearmanr(predicted, scores)[0]),
        "mse": float(np.mean((predicted - scores) ** 2)),
    }


def expected_score(task, logits):
    """The score of logits, `(N,)`: the expectation over the scale's whole numbers."""
    from scipy.special import softmax

    shares = softmax(logits.astype(np.float64), axis=1)
    return shares @ np.arange(task.lowest, task.highest + 1)

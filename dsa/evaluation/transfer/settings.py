"""How the classifiers on sentence vectors are chosen."""

import dataclasses

from dsa.errors import InputError


@dataclasses.dataclass(frozen=True)
class Protocol:
    """How the classifiers on sentence vectors are chosen.

    Args:
        name: as `--protocol` takes it.
        strengths: C of logistic regression that are tried.
        strengths_by_folds: the same where a corpus has a test set, but no dev set.
        inner_folds: folds of the training rows that C is chosen by, where there is no
            dev set.
        trains_scores_by_adam: whether scores are learned by `ProbabilityRegression`,
            instead of logistic regression to Tai et al.'s distribution.
        note: what this is, a sentence for the table.
    """

    name: str
    strengths: tuple[float, ...]
    strengths_by_folds: tuple[float, ...]
    inner_folds: int
    trains_scores_by_adam: bool
    note: str


def _powers(first, last):
    return tuple(2.0**power for power in range(first, last + 1))


OURS = Protocol(
    "ours",
    _powers(-4, 4),
    _powers(-4, 4),
    5,
    False,
    "C of logistic regression chosen on dev, or by inner folds.",
)
SENTEVAL = Protocol(
    "senteval",
    _powers(-2, 3),
    _powers(-1, 5),
    10,
    True,
    "Protocol of SentEval (Conneau & Kiela 2018): C from 2^-2 to 2^3, of TREC and MSRP "
    "from 2^-1 to 2^5, on dev or by ten inner folds; scores by Adam on the squared "
    "error of probabilities, stopped by dev.",
)
PROTOCOLS = {protocol.name: protocol for protocol in (OURS, SENTEVAL)}


def protocol_named(name):
    """The `Protocol` of a name.

    Raises: `InputError` for an unknown one.
    """
    if name not in PROTOCOLS:
        raise InputError(
            f"unknown protocol '{name}'. Known: {', '.join(sorted(PROTOCOLS))}"
        )
    return PROTOCOLS[name]

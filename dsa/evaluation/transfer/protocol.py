"""What a trained encoder's vectors are worth on other tasks.

The encoder is frozen; logistic regression, or a distribution over scores, is trained on
its vectors, as Conneau & Kiela 2018, "SentEval" (arXiv:1803.05449), section 3, do. A
`Protocol` says how C is chosen.

Each function here measures one kind of task of the suite. Its arguments are `splits`,
`{split: SplitVectors}`; `task`, the corpus's task; `seed`, which deals the folds; and
`protocol`, the `Protocol`.
It returns a `TransferResult`.
"""

import dataclasses
import functools
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.transfer.classifiers import (
    ProbabilityRegression,
    choose_strength,
    make_classifier,
    make_features,
)
from dsa.system.terminal import show_progress
from dsa.tasks.relatedness import correlation

FOLDS = 10  # of a corpus without test set


@dataclasses.dataclass(frozen=True)
class Protocol:
    """How the classifiers on sentence vectors are chosen.

    Args:
        name: as `--protocol` takes it.
        strengths: C of logistic regression that are tried.
        strengths_by_folds: the same where a corpus has a test set, but no dev set.
        inner_folds: folds of the training rows that C is chosen by, where there is no
            dev set.
        trains_scores_by_adam: whether scores are fitted by `ProbabilityRegression`,
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


def protocol_named(name: str) -> Protocol:
    """Returns the `Protocol` of a name.

    Raises: `InputError` for an unknown one.
    """
    if name not in PROTOCOLS:
        raise InputError(
            f"unknown protocol '{name}'. Known: {', '.join(sorted(PROTOCOLS))}"
        )
    return PROTOCOLS[name]


@dataclasses.dataclass(frozen=True)
class TransferResult:
    """An encoder's result on a task of the suite.

    Args:
        count: rows measured.
        scores: `{name: value}`: `accuracy`, a fraction, with `f1` of the second label
            where the task has two and a test set; or `pearson`, `spearman` and `mse`
            (none of cosines, which have another scale).
        strengths: the C of logistic regression that was chosen, one for each fold;
            `None` where nothing was trained.
    """

    count: int
    scores: dict[str, float]
    strengths: tuple[float, ...] | None = None

    def as_entry(self, task: str) -> dict:
        """Returns the result as a dictionary for `transfer.json`; `task`: its name."""
        entry = {"task": task, "count": self.count, **self.scores}
        if self.strengths is not None:
            entry["strengths"] = list(self.strengths)
        return entry


@dataclasses.dataclass(frozen=True)
class SplitVectors:
    """The rows of a split as vectors.

    Args:
        vectors: `(N, T, S)`, of the T sentences of each row.
        labels: `(N,)`, label ids or scores.
    """

    vectors: np.ndarray
    labels: np.ndarray

    @functools.cached_property
    def features(self) -> np.ndarray:
        """`(N, F)`, what a classifier reads."""
        return make_features(self.vectors)


Splits = dict[str, SplitVectors]


def correlate_cosines(
    splits: Splits, task: Any, seed: int, protocol: Protocol = OURS
) -> TransferResult:
    """How well the cosine of a pair's vectors correlates with its score. Nothing is
    trained."""
    test = splits["test"]
    u, v = test.vectors.astype(np.float64).transpose(1, 0, 2)
    lengths = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    cosines = (u * v).sum(axis=1) / np.maximum(lengths, 1e-12)
    scores = correlation(cosines, test.labels)
    return TransferResult(
        len(test.labels), {name: scores[name] for name in ("pearson", "spearman")}
    )


def classify_test(
    splits: Splits, task: Any, seed: int, protocol: Protocol = OURS
) -> TransferResult:
    """Accuracy on the test set; C is chosen on dev, or by inner folds of train."""
    from sklearn.metrics import f1_score

    train, test = splits["train"], splits["test"]
    if "dev" in splits:
        best = _choose_on_dev(train, splits["dev"], protocol.strengths)
    else:
        best = _choose_by_inner_folds(
            train.features,
            train.labels,
            seed,
            protocol.inner_folds,
            protocol.strengths_by_folds,
        )
    classifier = make_classifier(best, train.labels).fit(train.features, train.labels)
    predicted = classifier.predict(test.features)
    scores = {"accuracy": float((predicted == test.labels).mean())}
    if task.outputs == 2:
        scores["f1"] = float(f1_score(test.labels, predicted))
    return TransferResult(len(test.labels), scores, (best,))


def _choose_on_dev(train, dev, strengths):
    from sklearn.model_selection import PredefinedSplit

    folds = PredefinedSplit([-1] * len(train.labels) + [0] * len(dev.labels))
    return choose_strength(
        np.concatenate([train.features, dev.features]),
        np.concatenate([train.labels, dev.labels]),
        folds,
        strengths,
    )


def _choose_by_inner_folds(features, labels, seed, count, strengths):
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(count, shuffle=True, random_state=seed)
    return choose_strength(features, labels, folds, strengths)


def cross_validate(
    splits: Splits, task: Any, seed: int, protocol: Protocol = OURS
) -> TransferResult:
    """Accuracy over the folds of train; C is chosen by inner folds of each."""
    from sklearn.model_selection import StratifiedKFold

    features, labels = splits["train"].features, splits["train"].labels
    right, strengths = 0, []
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    parts = folds.split(features, labels)
    for train, test in show_progress(parts, "cross-validation", FOLDS):
        best = _choose_by_inner_folds(
            features[train],
            labels[train],
            seed,
            protocol.inner_folds,
            protocol.strengths,
        )
        classifier = make_classifier(best, labels).fit(features[train], labels[train])
        right += int((classifier.predict(features[test]) == labels[test]).sum())
        strengths.append(best)
    scores = {"accuracy": right / len(labels)}
    return TransferResult(len(labels), scores, tuple(strengths))


def regress_scores(
    splits: Splits, task: Any, seed: int, protocol: Protocol = OURS
) -> TransferResult:
    """Correlation on the test set of a regression to Tai et al.'s target distribution
    over the scale's whole numbers (2015, equation 16): by `ProbabilityRegression`, or
    by softmax regression, whose C is chosen on dev."""
    if protocol.trains_scores_by_adam:
        return _regress_by_adam(splits, task, seed)
    return _regress_by_likelihood(splits, task, protocol.strengths)


def _regress_by_adam(splits, task, seed):
    train, test = splits["train"], splits["test"]

    def measure(regression, split):
        expected = regression.predict_shares(split.features) @ task.scale
        return correlation(expected, split.labels)

    regression = ProbabilityRegression(seed).fit(
        train.features,
        task.target_shares(train.labels),
        lambda regression: measure(regression, splits["dev"])["pearson"],
    )
    return TransferResult(len(test.labels), measure(regression, test))


def _regress_by_likelihood(splits, task, strengths):
    """Softmax regression.

    Every row is there once for each number that has a share of its score, weighted by
    that share: this is the cross-entropy to the distribution.
    """
    shares = task.target_shares(splits["train"].labels)
    rows, columns = np.nonzero(shares)
    features = splits["train"].features[rows]
    numbers, weights = task.lowest + columns, shares[rows, columns]
    path = make_classifier(strengths[0], numbers).set_params(warm_start=True)
    measured = []
    tried = show_progress(strengths, "choosing C", len(strengths))
    for strength in tried:  # each starts from the weights of the one before
        path.set_params(C=strength).fit(features, numbers, sample_weight=weights)
        measured.append(_correlate(path, splits["dev"])["pearson"])
    best = strengths[int(np.argmax(measured))]
    classifier = make_classifier(best, numbers)
    classifier.fit(features, numbers, sample_weight=weights)
    scores = _correlate(classifier, splits["test"])
    return TransferResult(len(splits["test"].labels), scores, (best,))


def _correlate(classifier, split):
    expected = classifier.predict_proba(split.features) @ classifier.classes_
    return correlation(expected, split.labels)

"""SentEval's protocol for the evaluation of sentence vectors of a frozen encoder.

Classification tasks train a logistic regression on the vectors. The regularization C is
selected on dev, or by 10-fold cross-validation on train if there is no dev set. Corpora
without a test set are evaluated by nested cross-validation. Each public function
evaluates one kind of task and returns a record with `count` (number of evaluated rows),
the metrics, and `strengths` (selected values of C).

Reference: Conneau & Kiela 2018, "SentEval" (arXiv:1803.05449), section 3.
"""

from typing import Any, NamedTuple

import numpy as np

from dsa.evaluation.transfer.classifiers import (
    ProbabilityRegression,
    choose_strength,
    make_classifier,
    make_features,
)
from dsa.system.terminal import show_progress
from dsa.tasks.relatedness import measure_scores

FOLDS = 10
STRENGTHS = tuple(2.0**power for power in range(-2, 4))
STRENGTHS_WITHOUT_DEV = tuple(2.0**power for power in range(-1, 6))


class SplitVectors(NamedTuple):
    """Sentence vectors `(N, T, S)` of a split, and labels or scores `(N,)`."""

    vectors: np.ndarray
    labels: np.ndarray


Splits = dict[str, SplitVectors]
Record = dict[str, Any]


def correlate_cosines(splits: Splits, task: Any, seed: int) -> Record:
    """Returns the correlation of cosine similarities with scores, without training."""
    vectors, scores = splits["test"]
    u, v = vectors.astype(np.float64).transpose(1, 0, 2)
    norms = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    cosines = (u * v).sum(axis=1) / np.maximum(norms, 1e-12)
    metrics = measure_scores(cosines, scores)
    return {
        "count": len(scores),
        "pearson": metrics["pearson"],
        "spearman": metrics["spearman"],
    }


def classify_test(splits: Splits, task: Any, seed: int) -> Record:
    """Returns the test accuracy and, for binary tasks, F1 of the second label."""
    from sklearn.metrics import f1_score

    features = make_features(splits["train"].vectors)
    labels = splits["train"].labels
    if "dev" in splits:
        strength = _choose_on_dev(features, labels, splits["dev"])
    else:
        folds = _make_folds(seed)
        strength = choose_strength(features, labels, folds, STRENGTHS_WITHOUT_DEV)
    classifier = make_classifier(strength, labels).fit(features, labels)
    test_labels = splits["test"].labels
    predicted = classifier.predict(make_features(splits["test"].vectors))
    record: Record = {
        "count": len(test_labels),
        "accuracy": float((predicted == test_labels).mean()),
    }
    if task.outputs == 2:
        record["f1"] = float(f1_score(test_labels, predicted))
    return {**record, "strengths": [strength]}


def cross_validate(splits: Splits, task: Any, seed: int) -> Record:
    """Returns the accuracy of 10-fold nested cross-validation on train."""
    features = make_features(splits["train"].vectors)
    labels = splits["train"].labels
    correct, strengths = 0, []
    folds = _make_folds(seed).split(features, labels)
    for train, test in show_progress(folds, "cross-validation", FOLDS):
        strength = choose_strength(
            features[train], labels[train], _make_folds(seed), STRENGTHS
        )
        classifier = make_classifier(strength, labels)
        classifier.fit(features[train], labels[train])
        correct += int((classifier.predict(features[test]) == labels[test]).sum())
        strengths.append(strength)
    count = len(labels)
    return {"count": count, "accuracy": correct / count, "strengths": strengths}


def regress_scores(splits: Splits, task: Any, seed: int) -> Record:
    """Returns the test correlation of a regression of scores.

    The target is the distribution of Tai et al. 2015, equation 16, over the integers of
    the scale. The prediction is the expectation of the distribution. Training is
    stopped early on dev.
    """
    features = {name: make_features(split.vectors) for name, split in splits.items()}

    def evaluate(regression: ProbabilityRegression, split: str) -> dict[str, float]:
        expected = regression.predict_shares(features[split]) @ task.scale
        return measure_scores(expected, splits[split].labels)

    regression = ProbabilityRegression(seed).fit(
        features["train"],
        task.compute_target_distribution(splits["train"].labels),
        lambda regression: evaluate(regression, "dev")["pearson"],
    )
    return {"count": len(splits["test"].labels), **evaluate(regression, "test")}


def _choose_on_dev(
    features: np.ndarray, labels: np.ndarray, dev: SplitVectors
) -> float:
    from sklearn.model_selection import PredefinedSplit

    folds = PredefinedSplit([-1] * len(labels) + [0] * len(dev.labels))
    return choose_strength(
        np.concatenate([features, make_features(dev.vectors)]),
        np.concatenate([labels, dev.labels]),
        folds,
        STRENGTHS,
    )


def _make_folds(seed: int) -> Any:
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(FOLDS, shuffle=True, random_state=seed)

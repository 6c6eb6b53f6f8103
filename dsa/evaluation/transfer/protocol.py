"""SentEval's protocol for the evaluation of sentence vectors of a frozen encoder.

Classification tasks train a logistic regression on the vectors. C, the inverse of the
regularization strength, is selected on dev, or by 10-fold cross-validation on train if
there is no dev set. Corpora without a test set are evaluated by nested
cross-validation.

Each public function evaluates one kind of task and returns a record with `count` (the
number of evaluated rows), the metrics and, for classification, `strengths` (the
selected values of C; the key is kept for earlier results). Arguments: the sentence
vectors by split, the task, and the seed of the folds and of the initial weights.

Reference: Conneau & Kiela 2018, "SentEval" (arXiv:1803.05449), section 3.
"""

from typing import Any, NamedTuple

import numpy as np

from dsa.evaluation.transfer.classifiers import (
    SoftmaxRegression,
    choose_C,
    make_classifier,
    make_features,
)
from dsa.system.terminal import show_progress
from dsa.tasks.relatedness import measure_scores

FOLDS = 10
# candidate values of C
C_VALUES = tuple(2.0**power for power in range(-2, 4))
CROSS_VALIDATED_C_VALUES = tuple(2.0**power for power in range(-1, 6))


class SplitVectors(NamedTuple):
    """Sentence vectors of S features of N rows with T sentences, `(N, T, S)`, and
    labels or scores `(N,)` of a split."""

    vectors: np.ndarray
    labels: np.ndarray


Splits = dict[str, SplitVectors]
Record = dict[str, Any]


def correlate_cosines(splits: Splits, task: Any, seed: int) -> Record:
    """Returns the correlations of cosine similarities with the test scores.

    No weights are trained.
    """
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
    """Returns the test accuracy and, for binary tasks, the F1 of the second label."""
    from sklearn.metrics import f1_score

    features = make_features(splits["train"].vectors)
    labels = splits["train"].labels
    if "dev" in splits:
        C = _choose_on_dev(features, labels, splits["dev"])
    else:
        C = choose_C(features, labels, _make_cv(seed), CROSS_VALIDATED_C_VALUES)
    classifier = make_classifier(C, labels).fit(features, labels)
    test_labels = splits["test"].labels
    predicted = classifier.predict(make_features(splits["test"].vectors))
    record: Record = {
        "count": len(test_labels),
        "accuracy": float((predicted == test_labels).mean()),
    }
    if task.outputs == 2:
        record["f1"] = float(f1_score(test_labels, predicted))
    record["strengths"] = [C]
    return record


def cross_validate(splits: Splits, task: Any, seed: int) -> Record:
    """Returns the accuracy of 10-fold nested cross-validation on train."""
    features = make_features(splits["train"].vectors)
    labels = splits["train"].labels
    num_correct = 0
    selected = []
    folds = _make_cv(seed).split(features, labels)
    for train, test in show_progress(folds, "cross-validation", FOLDS):
        C = choose_C(features[train], labels[train], _make_cv(seed), C_VALUES)
        classifier = make_classifier(C, labels)
        classifier.fit(features[train], labels[train])
        num_correct += int((classifier.predict(features[test]) == labels[test]).sum())
        selected.append(C)
    count = len(labels)
    return {"count": count, "accuracy": num_correct / count, "strengths": selected}


def regress_scores(splits: Splits, task: Any, seed: int) -> Record:
    """Returns the test correlations and the squared error of predicted scores.

    The targets are the distributions of Tai et al. 2015, section 4.2, over the points
    of the rating scale. The predicted score is the expectation of the predicted
    distribution. Training is stopped early by the Pearson correlation on dev.
    """
    features = {name: make_features(split.vectors) for name, split in splits.items()}

    def evaluate(regression: SoftmaxRegression, split: str) -> dict[str, float]:
        expected = regression.predict_proba(features[split]) @ task.scale
        return measure_scores(expected, splits[split].labels)

    regression = SoftmaxRegression(seed).fit(
        features["train"],
        task.compute_target_distribution(splits["train"].labels),
        lambda regression: evaluate(regression, "dev")["pearson"],
    )
    return {"count": len(splits["test"].labels), **evaluate(regression, "test")}


def _choose_on_dev(
    features: np.ndarray, labels: np.ndarray, dev: SplitVectors
) -> float:
    """Returns the C with the highest accuracy on dev."""
    from sklearn.model_selection import PredefinedSplit

    # scikit-learn's test fold of each row: -1 for training rows, 0 for dev rows
    cv = PredefinedSplit([-1] * len(labels) + [0] * len(dev.labels))
    return choose_C(
        np.concatenate([features, make_features(dev.vectors)]),
        np.concatenate([labels, dev.labels]),
        cv,
        C_VALUES,
    )


def _make_cv(seed: int) -> Any:
    """Returns a stratified 10-fold cross-validation splitter."""
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(FOLDS, shuffle=True, random_state=seed)

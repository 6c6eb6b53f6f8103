"""Refits the final classifier of a network with scikit-learn."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dsa.tasks.class_weights import compute_class_weights

MAX_ITERATIONS = 1000
UNSEEN_LOGIT = -1e3  # logit of labels without training rows


def refit_before_evaluation(final_classifier: str) -> Callable[..., None] | None:
    """Returns the function for `Stage.before_evaluation`, or `None` if the network's
    last layer is the final classifier."""
    if final_classifier == "network":
        return None
    return refit_decision


def refit_decision(
    model: Any, outputs: Callable[..., np.ndarray], labels: np.ndarray, experiment: Any
) -> None:
    """Refits the final classifier of a `RefittedModel` to all training rows.

    The other weights of the model do not change.

    Args: see `Stage.before_evaluation`.

    Reference: Yin et al. 2016, section 5, "Classifier".
    """
    kernel, bias = fit_classifier(
        outputs(features_only=True).astype(np.float64),
        labels,
        outputs=experiment.task.outputs,
        classifier=model.classifier,
        standardize=experiment.features.standardize,
        seed=experiment.seed,
        class_weights=compute_class_weights(
            experiment.training.class_weights, experiment.task.names, labels
        ),
    )
    model.set_decision(kernel, bias)


def fit_classifier(  # noqa: PLR0913 (settings of the classifier)
    features: np.ndarray,
    labels: np.ndarray,
    *,
    outputs: int,
    classifier: str,
    standardize: bool,
    seed: int,
    class_weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Fits scikit-learn's `LogisticRegression` or `LinearSVC` with default parameters
    except for `max_iter`.

    Yin et al. 2016 use `SVC(kernel="linear")`, with hinge instead of squared hinge loss
    and without a penalty of the intercept.

    Args:
        features: float array `(N, F)`.
        labels: int array `(N,)`, label ids.
        outputs: number of logits.
        classifier: "logistic" or "svm".
        standardize: whether to fit features with mean 0 and standard deviation 1. The
            returned weights apply to the original features in either case.
        seed: seed of the SVM solver, which shuffles the rows.
        class_weights: weights of the labels, `(outputs,)`; `None` for equal weights.

    Returns: tuple of kernel `(F, outputs)` and bias `(outputs,)`.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    if standardize:
        mean = features.mean(axis=0)
        std = features.std(axis=0)
        std[std == 0] = 1
    else:
        mean = np.zeros(features.shape[1])
        std = np.ones(features.shape[1])
    weights = None if class_weights is None else dict(enumerate(class_weights))
    if classifier == "svm":
        model = LinearSVC(
            random_state=seed, max_iter=10 * MAX_ITERATIONS, class_weight=weights
        )
    else:
        model = LogisticRegression(max_iter=MAX_ITERATIONS, class_weight=weights)
    model.fit((features - mean) / std, labels)
    kernel, bias = extract_weights(model, outputs)
    kernel = kernel / std[:, None]
    return kernel, bias - mean @ kernel


def extract_weights(classifier: Any, outputs: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the kernel `(F, outputs)` and bias `(outputs,)` of a fitted scikit-learn
    classifier.

    Labels without training rows get the logit `UNSEEN_LOGIT`.
    """
    weights = classifier.coef_.T
    bias = classifier.intercept_
    if weights.shape[1] == 1:
        # for two labels, scikit-learn stores the coefficients of the second label only
        weights = np.concatenate([0 * weights, weights], axis=1)
        bias = np.append(0, bias)
    kernel = np.zeros((len(weights), outputs))
    kernel[:, classifier.classes_] = weights
    biases = np.full(outputs, UNSEEN_LOGIT)
    biases[classifier.classes_] = bias
    return kernel, biases

"""What a linear classifier of scikit-learn has learned, as a kernel and a bias."""

import numpy as np

NEVER = -1e3  # the logit of a label that train lacks


def weights_of(classifier, outputs):
    """Kernel `(F, outputs)` and bias `(outputs,)` of a fitted linear classifier, whose
    labels can be fewer: of two it scores only the second one."""
    weights, bias = classifier.coef_.T, classifier.intercept_
    if weights.shape[1] == 1:
        weights = np.concatenate([0 * weights, weights], axis=1)
        bias = np.append(0, bias)
    kernel, biases = np.zeros((len(weights), outputs)), np.full(outputs, NEVER)
    kernel[:, classifier.classes_], biases[classifier.classes_] = weights, bias
    return kernel, biases

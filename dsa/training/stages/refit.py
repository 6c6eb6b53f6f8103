"""The final classifier: fitted to the training rows after each epoch."""

import numpy as np

from dsa.inference.corpus_inference import PairInference
from dsa.training.linear_weights import weights_of

MOST_ITERATIONS = 1000


def make_refit(session, model):
    """A function without arguments that fits a model's final classifier again.

    Args:
        session: the `Session`.
        model: the model; one that is not refitted gets a function that does nothing.
    """
    if not getattr(model, "is_refitted", False):
        return lambda: None
    return Refit(session, model)


class Refit:
    """Fits a linear classifier to the inputs of the model's last layer, over all
    training rows with fixed weights, and gives it to the model.

    Args:
        session: the `Session`.
        model: a `RefittedModel`.

    Reference: Yin et al. 2016, section 5.1.
    """

    def __init__(self, session, model):
        experiment, data = session.experiment, session.data
        self.experiment = experiment
        self.model = model
        self.rows, self.labels = data.rows, data.labels
        self.inference = PairInference(model, features_only=True)

    def __call__(self):
        features = self.inference.logits(self.rows).astype(np.float64)
        kernel, bias = fit_classifier(
            features,
            self.labels,
            outputs=self.experiment.task.outputs,
            classifier=self.model.classifier,
            standardize=self.experiment.features.standardize,
            seed=self.experiment.seed,
        )
        self.model.set_decision(kernel, bias)


def fit_classifier(features, labels, *, outputs, classifier, standardize, seed):
    """A linear classifier with scikit-learn's default parameters.

    Args:
        features: `(N, F)`.
        labels: `(N,)` ids.
        outputs: number of logits.
        classifier: "logistic" or "svm".
        standardize: whether features are divided by their deviation, after their mean
            was taken away; the result takes features as they are.
        seed: of the SVM's order.

    Returns: kernel `(F, outputs)` and bias `(outputs,)`.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    mean, deviation = np.zeros(features.shape[1]), np.ones(features.shape[1])
    if standardize:
        mean, deviation = features.mean(axis=0), features.std(axis=0)
        deviation[deviation == 0] = 1
    if classifier == "svm":
        model = LinearSVC(random_state=seed, max_iter=10 * MOST_ITERATIONS)
    else:
        model = LogisticRegression(max_iter=MOST_ITERATIONS)
    model.fit((features - mean) / deviation, labels)
    kernel, bias = weights_of(model, outputs)
    kernel = kernel / deviation[:, None]
    return kernel, bias - mean @ kernel

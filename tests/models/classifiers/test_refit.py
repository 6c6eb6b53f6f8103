"""Classifiers of scikit-learn over the features of networks and over word counts."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from dsa.models.classifiers.refit import fit_classifier
from dsa.training.linear_training import make_classifier

CLASSIFIERS = {
    "svm": LinearSVC(random_state=3, max_iter=10_000),
    "logistic": LogisticRegression(max_iter=1000),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("standardize", [True, False])
def test_the_final_classifier_is_that_of_scikit_learn(name, standardize):
    random = np.random.default_rng(5)
    features = random.normal(size=(90, 3)) * [1, 3, 0.2] + 2
    labels = random.integers(0, 3, 90)
    kernel, bias = fit_classifier(
        features, labels, outputs=3, classifier=name, standardize=standardize, seed=3
    )
    scaled = features
    if standardize:
        scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    expected = CLASSIFIERS[name].fit(scaled, labels).decision_function(scaled)
    np.testing.assert_allclose(features @ kernel + bias, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_linear_model_has_the_classifier_of_its_setting(name):
    assert type(make_classifier(name, 1.0, 3)) is type(CLASSIFIERS[name])

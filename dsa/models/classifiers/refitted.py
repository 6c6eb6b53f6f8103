"""The final classifiers that a config can name. No Keras."""

from typing import Literal

FinalClassifier = Literal["logistic", "svm", "network"]
FINAL_CLASSIFIER = (
    "What decides: a logistic regression or a linear SVM over the last layer's inputs, "
    "fitted again after each epoch, or the network's own softmax."
)

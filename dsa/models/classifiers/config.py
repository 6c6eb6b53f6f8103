"""Settings of classifiers: hidden layers over a sentence encoder, and the final
classifier of pair models. Does not import Keras."""

from typing import Annotated, Any, Literal

from pydantic import Field

from dsa.config_section import Count, NonNegativeNumber, Section, Share, Units, setting

L2 = "Weight decay: the loss includes this times half the sum of squared weights."
FinalClassifier = Literal["logistic", "svm", "network"]
FINAL_CLASSIFIER = (
    "Final classifier: a logistic regression or a linear SVM over the inputs of the "
    "last layer, refitted before each evaluation, or the network's own softmax."
)


class ClassifierConfig(Section):
    """`model.classifier`: the hidden layers between sentence vectors and logits."""

    units: Units = setting(300, "Units of each hidden layer.")
    layers: Annotated[Count, Field(le=100)] = setting(1, "Number of hidden layers.")
    dropout: Share = setting(0.1, "Dropout rate of the last hidden layer.")
    input_dropout: Share = setting(0.0, "Dropout rate of the classifier's input.")
    hidden_dropout: Share = setting(
        0.0, "Dropout rate of each hidden layer except the last."
    )
    difference: Literal["absolute", "signed"] = setting(
        "absolute",
        "Difference of the two sentence vectors in the classifier's input: `|u - v|` "
        "or `u - v`. Only for the classification of pairs.",
    )
    activation: Literal["relu", "leaky_relu", "elu", "linear"] = setting(
        "relu",
        "Activation of the hidden layers; the negative slope of `leaky_relu` is 0.01.",
    )
    l2: NonNegativeNumber = setting(0.0, L2)


CLASSIFIER: Any = setting(
    ClassifierConfig(), "Settings of the classifier over the encoder."
)

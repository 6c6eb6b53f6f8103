"""Settings of what is put on a sentence encoder, and how it is put there; the final
classifiers of pair models. No Keras."""

from typing import Annotated, Any, Literal

from pydantic import Field

from dsa.config_section import Count, NonNegativeNumber, Section, Share, Units, setting
from dsa.seeds import derived_seed

L2 = "Decay: this times half the sum of squares of the matrices is added to the loss."
FinalClassifier = Literal["logistic", "svm", "network"]
FINAL_CLASSIFIER = (
    "What decides: a logistic regression or a linear SVM over the last layer's inputs, "
    "fitted again after each epoch, or the network's own softmax."
)


class ClassifierConfig(Section):
    """`model.classifier`: the hidden layers between sentence vectors and labels, or
    scores."""

    units: Units = setting(300, "Units of each hidden layer.")
    layers: Annotated[Count, Field(le=100)] = setting(1, "Number of hidden layers.")
    dropout: Share = setting(0.1, "Dropped share of the last hidden layer.")
    input_dropout: Share = setting(0.0, "Dropped share of the classifier's input.")
    hidden_dropout: Share = setting(
        0.0, "Dropped share of each hidden layer before the last one."
    )
    difference: Literal["absolute", "signed"] = setting(
        "absolute",
        "Difference of the two sentence vectors in the classifier's input: the "
        "absolute one or u - v. Only for the classification of pairs.",
    )
    activation: Literal["relu", "leaky_relu", "elu", "linear"] = setting(
        "relu",
        "Activation of the hidden layers; `leaky_relu` has the slope 0.01 below 0.",
    )
    l2: NonNegativeNumber = setting(0.0, L2)


CLASSIFIER: Any = setting(
    ClassifierConfig(), "Settings of the classifier over the encoder."
)


def put_on_encoder(config, parts, embedding, encoder):
    """The model of a task with its weights, over an encoder: a layer of vectors
    `(B, L, D)` and a mask `(B, L)` to sentence vectors `(B, S)`."""
    from dsa.models.classifiers.sentence_classifiers import HEADS

    head = HEADS[parts.task.head]
    model = head(
        embedding,
        encoder,
        **config.classifier.model_dump(exclude=head.unused_settings),
        outputs=parts.task.outputs,
        layer_norm=getattr(config, "layer_norm", False),
        seed=derived_seed(parts.seed, "classifier"),
        dtype=parts.dtype,
        name="classifier",
    )
    model.build()
    return model

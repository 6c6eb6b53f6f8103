"""Settings and builder of the classifier that sentence encoders share."""

from typing import Annotated, Literal

from pydantic import Field

from dsa.schema import Count, Number, Section, Share
from dsa.seeds import derived_seed

Decay = Annotated[Number, Field(ge=0)]


class ClassifierConfig(Section):
    """`model.classifier`: the hidden layer between two sentence vectors and labels.
    `difference`: of the two vectors, among the features. `l2` times half the sum of
    squares of both matrices is added to the loss."""

    units: Count = 300
    dropout: Share = 0.1
    input_dropout: Share = 0.0
    difference: Literal["absolute", "signed"] = "absolute"
    activation: Literal["relu", "elu"] = "relu"
    l2: Decay = 0.0


def build_pair_classifier(config, embedding, encoder, labels, layer_norm, seed, dtype):
    """A `SentencePairClassifier` with its weights, over the given encoder."""
    import keras

    from dsa.layers.pair_classifier import SentencePairClassifier

    model = SentencePairClassifier(
        embedding,
        encoder,
        labels=labels,
        **config.model_dump(),
        layer_norm=layer_norm,
        seed=derived_seed(seed, "classifier"),
        dtype=dtype,
        name="pair",
    )
    ids = keras.Input((None,), dtype="int32")
    model({"premise": ids, "hypothesis": ids})  # a symbolic call makes the weights
    return model

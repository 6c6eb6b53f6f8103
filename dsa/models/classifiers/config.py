"""Settings and builder of what stands on a sentence encoder, by task."""

from typing import Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, Number, Section, Share
from dsa.seeds import derived_seed
from dsa.tasks.inputs import SINGLE
from dsa.tasks.relatedness import Relatedness

Decay = Annotated[Number, Field(ge=0)]


class ClassifierConfig(Section):
    """`model.classifier`: the hidden layer between sentence vectors and labels, or
    scores. `difference`: of the two vectors of a pair, among the features
    (classification of pairs alone). `l2` times
    half the sum of squares of both matrices is added to the loss."""

    units: Count = 300
    dropout: Share = 0.1
    input_dropout: Share = 0.0
    difference: Literal["absolute", "signed"] = "absolute"
    activation: Literal["relu", "elu"] = "relu"
    l2: Decay = 0.0


def build_classifier(config, task, embedding, encoder, layer_norm, seed, dtype):
    """The model of a task with its weights, over the given encoder: a
    `SentencePairClassifier`, `SentenceClassifier` or `RelatednessRegressor`."""
    import keras

    from dsa.models.classifiers.pair_classifier import SentencePairClassifier
    from dsa.models.classifiers.relatedness_regressor import RelatednessRegressor
    from dsa.models.classifiers.sentence_classifier import SentenceClassifier

    settings = config.model_dump()
    difference = settings.pop("difference")
    if isinstance(task, Relatedness):
        kind = RelatednessRegressor
    elif task.inputs == SINGLE:
        kind = SentenceClassifier
    else:
        kind = SentencePairClassifier
        settings["difference"] = difference
    model = kind(
        embedding,
        encoder,
        outputs=task.outputs,
        **settings,
        layer_norm=layer_norm,
        seed=derived_seed(seed, "classifier"),
        dtype=dtype,
        name="classifier",
    )
    ids = keras.Input((None,), dtype="int32")
    model({name: ids for name in task.inputs})  # a symbolic call makes the weights
    return model

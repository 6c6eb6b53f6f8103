"""The model of a run as it is exported: in float32."""

from dsa.models.registry import build_model

EXPORTED = "float32"


def make_float32_model(trained):
    """The Keras model of a `TrainedModel`; a copy in float32 of one that computes with
    another precision."""
    experiment = trained.experiment
    if experiment.training.precision == EXPORTED:
        return trained.model
    training = experiment.training.model_copy(update={"precision": EXPORTED})
    experiment = experiment.model_copy(update={"training": training})
    frozen_rows = trained.model.embedding.frozen_rows
    model = build_model(experiment, len(trained.vocabulary), frozen_rows)
    model.set_weights(trained.model.get_weights())
    return model

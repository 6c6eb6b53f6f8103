"""A compiled model of an experiment, without data."""

from dsa.backends.compilation import compiles_each_shape
from dsa.models.building import build_model
from dsa.training.optimization import make_loss, make_optimizer
from dsa.training.schedules import make_learning_rate


def compiled_model(experiment, vocabulary_size):
    """Returns the model with the loss, metrics and optimizer of its training."""
    training = experiment.training
    model = build_model(experiment, vocabulary_size)
    model.compile(
        make_optimizer(training, model, make_learning_rate(training)),
        make_loss(training, experiment.task),
        weighted_metrics=experiment.task.training_metrics(),
        jit_compile=compiles_each_shape(),
    )
    model.optimizer.build(model.trainable_variables)
    return model

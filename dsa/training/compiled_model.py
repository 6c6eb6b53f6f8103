"""How a model is trained, as a config says: loss, optimizer, schedule."""

import numpy as np

from dsa.backends.compilation import compiles_each_shape, takes_several_steps
from dsa.backends.optimizers import OPTIMIZERS
from dsa.errors import InputError
from dsa.models.registry import build_model


def compiled_model(experiment, vocabulary_size, frozen_rows=0):
    """The model of an experiment with its loss, metric and optimizer, all built.

    Args:
        experiment: a `Experiment`.
        vocabulary_size: rows of the embedding table.
        frozen_rows: of the table's end, see `WordEmbedding`.
    """
    config = experiment.training
    model = build_model(experiment, vocabulary_size, frozen_rows)
    settings = config.optimizer.model_dump()
    optimizer = OPTIMIZERS[settings.pop("name")](
        learning_rate=config.learning_rate, global_clipnorm=config.clip_norm, **settings
    )
    model.compile(
        optimizer,
        experiment.task.loss(),
        weighted_metrics=experiment.task.training_metrics(),
        jit_compile=compiles_each_shape(),
    )
    optimizer.build(model.trainable_variables)
    if config.steps_at_once > 1:
        _build_loss(model, experiment)
    return model


def _build_loss(model, experiment):
    """Makes the state of loss and metrics: `fit` would, from data that it takes for one
    batch."""
    batch = {name: np.ones((1, 2), np.int32) for name in experiment.inputs}
    if experiment.feature_count:
        batch["features"] = np.zeros((1, experiment.feature_count), np.float32)
    labels, logits = np.zeros(1, np.int32), model(batch, training=False)
    model.compute_loss(batch, labels, logits)
    model.compute_metrics(batch, labels, logits)
    model.reset_metrics()


def check_steps_at_once(config):
    """Raises: `InputError` for several steps in one program, except on JAX."""
    if config.steps_at_once > 1 and not takes_several_steps():
        raise InputError("'training.steps_at_once' above 1 needs the JAX backend")


def parameters(model):
    """Numbers of parameters of a model, the embedding table apart."""

    def count(variables):
        return int(sum(np.prod(variable.shape) for variable in variables))

    embedding = model.embedding
    table = embedding.vocabulary_size * embedding.units
    trained_table = count(embedding.table.trainable_variables)
    return {
        "trainable_without_embeddings": count(model.trainable_variables)
        - trained_table,
        "embeddings": table,
        "embeddings_trained": bool(trained_table),
    }

"""How a model is trained, as a config says: loss, optimizer, schedule."""

from typing import Any

import keras
import numpy as np

from dsa.backends.compilation import compiles_each_shape, takes_several_steps
from dsa.backends.optimizers import OPTIMIZERS
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.training_config import TrainingConfig
from dsa.models.registry import build_model


def compiled_model(
    experiment: Experiment,
    vocabulary_size: int,
    frozen_rows: int = 0,
    last_step: int | None = None,
) -> keras.Model:
    """The model of an experiment with its loss, metric and optimizer, all built.

    Args:
        vocabulary_size: rows of the embedding table.
        frozen_rows: how many of them, the last ones, are frozen.
        last_step: the step that training ends with; needed for a rate that falls to 0.
    """
    config = experiment.training
    model = build_model(experiment, vocabulary_size, frozen_rows)
    settings = config.optimizer.model_dump()
    optimizer = OPTIMIZERS[settings.pop("name")](
        learning_rate=_learning_rate(config, last_step),
        global_clipnorm=config.clip_norm,
        **settings,
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


def _learning_rate(config, last_step):
    """A number, or Keras's schedule of it by the steps taken."""
    if config.schedule.name != "linear_decay":
        return config.learning_rate
    return keras.optimizers.schedules.PolynomialDecay(
        config.learning_rate, decay_steps=last_step, end_learning_rate=0.0, power=1.0
    )


def _build_loss(model, experiment):
    """Makes the state of loss and metrics: `fit` would, from data that it takes for one
    batch."""
    batch: dict[str, Any] = {
        name: np.ones((1, 2), np.int32) for name in experiment.inputs
    }
    if experiment.feature_count:
        batch["features"] = np.zeros((1, experiment.feature_count), np.float32)
    labels, logits = np.zeros(1, np.int32), model(batch, training=False)
    model.compute_loss(batch, labels, logits)
    model.compute_metrics(batch, labels, logits)
    model.reset_metrics()


def check_steps_at_once(config: TrainingConfig) -> None:
    """Raises `InputError` for several steps in one program, except on JAX."""
    if config.steps_at_once > 1 and not takes_several_steps():
        raise InputError("'training.steps_at_once' above 1 needs the JAX backend")


def parameters(model: Any) -> dict[str, Any]:
    """Counts the parameters of a model, those of the embedding table apart."""

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

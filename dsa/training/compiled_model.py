"""How a model is trained, as a config says: loss and optimizer."""

from typing import Any

import keras
import numpy as np

from dsa.backends.compilation import compiles_each_shape, takes_several_steps
from dsa.backends.matmul_precision import set_matmul_precision
from dsa.backends.optimizers import OPTIMIZERS
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.training_config import TrainingConfig
from dsa.models.registry import build_model
from dsa.training.learning_rates import make_learning_rate


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
    set_matmul_precision(config.matmul_precision)
    model = build_model(experiment, vocabulary_size, frozen_rows)
    model.compile(
        _make_optimizer(config, model, last_step),
        _make_loss(config, experiment.task),
        weighted_metrics=experiment.task.training_metrics(),
        jit_compile=compiles_each_shape(),
    )
    model.optimizer.build(model.trainable_variables)
    if config.steps_at_once > 1:
        _build_loss(model, experiment)
    return model


def _make_optimizer(config, model, last_step):
    settings = config.optimizer.model_dump()
    steps = config.gradient_accumulation_steps if config.accumulates else None
    optimizer = OPTIMIZERS[settings.pop("name")](
        learning_rate=make_learning_rate(config, last_step),
        global_clipnorm=config.clip_norm,
        gradient_accumulation_steps=steps,
        use_ema=config.use_ema,
        ema_momentum=config.ema_momentum,
        **settings,
    )
    optimizer.exclude_from_weight_decay(list_not_decayed(model))
    return optimizer


def list_not_decayed(model: Any) -> list[Any]:
    """The trained variables that weight decay leaves alone: word vectors, and whatever
    is no matrix, as biases and the gains of normalizations are. The bias of a GRU has
    two rows."""
    vectors = {id(v) for v in model.embedding.table.trainable_variables}
    return [
        variable
        for variable in model.trainable_variables
        if len(variable.shape) < 2 or variable.name == "bias" or id(variable) in vectors
    ]


def _make_loss(config, task):
    """The loss of a task; with label smoothing, Keras's for distributions."""
    if not config.label_smoothing:
        return task.loss()

    def smoothed_crossentropy(labels, logits):
        return keras.losses.categorical_crossentropy(
            keras.ops.one_hot(keras.ops.cast(labels, "int32"), task.outputs),
            logits,
            from_logits=True,
            label_smoothing=config.label_smoothing,
        )

    return smoothed_crossentropy


def _build_loss(model, experiment):
    """Makes the state of loss and metrics by a made-up batch. `fit` would by its first
    call, and take the several batches in it for one."""
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

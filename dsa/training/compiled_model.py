"""How a model is trained, as a config says: loss and optimizer."""

from typing import Any

import keras
import numpy as np

from dsa.backends.compilation import compiles_each_shape
from dsa.backends.matmul_precision import set_matmul_precision
from dsa.backends.optimizers import OPTIMIZERS
from dsa.experiment.config import Experiment
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

"""Optimizer and loss of a training, and parameter counts."""

from typing import Any

import keras
import numpy as np

from dsa.backends.optimizers import OPTIMIZERS
from dsa.experiment.training_config import TrainingConfig
from dsa.training.schedules import make_learning_rate


def make_optimizer(
    config: TrainingConfig, model: Any, last_step: int | None = None
) -> keras.optimizers.Optimizer:
    """Returns the optimizer of a training.

    Args:
        config: the `training` section.
        model: the built model.
        last_step: last step of the training, required by decay schedules.
    """
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
    """Returns the trained variables without weight decay.

    These are word vectors, biases and the gains of normalizations. The bias of a GRU is
    a matrix with two rows.
    """
    vectors = {id(v) for v in model.embedding.table.trainable_variables}
    return [
        variable
        for variable in model.trainable_variables
        if len(variable.shape) < 2 or variable.name == "bias" or id(variable) in vectors
    ]


def make_loss(
    config: TrainingConfig, task: Any, class_weights: np.ndarray | None = None
) -> Any:
    """Returns the loss of a task, with label smoothing and class weights.

    Args:
        config: the `training` section.
        task: the task.
        class_weights: factor of the loss for the rows of each label, `(K,)`; `None` for
            equal weights.
    """
    if not config.label_smoothing and class_weights is None:
        return task.loss()

    def crossentropy(labels, logits):
        labels = keras.ops.cast(labels, "int32")
        losses = keras.losses.categorical_crossentropy(
            keras.ops.one_hot(labels, task.outputs),
            logits,
            from_logits=True,
            label_smoothing=config.label_smoothing,
        )
        if class_weights is None:
            return losses
        weights = keras.ops.convert_to_tensor(class_weights, losses.dtype)
        return losses * keras.ops.take(weights, labels)

    return crossentropy


def count_parameters(model: Any) -> dict[str, Any]:
    """Returns the parameter counts of a model, separately for the embedding table."""

    def count(variables):
        return int(sum(np.prod(variable.shape) for variable in variables))

    embedding = model.embedding
    table = embedding.vocabulary_size * embedding.units
    trained_table = count(embedding.table.trainable_variables)
    trainable = count(model.trainable_variables)
    return {
        "trainable_without_embeddings": trainable - trained_table,
        "embeddings": table,
        "embeddings_trained": bool(trained_table),
    }

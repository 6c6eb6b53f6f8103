"""Makes the optimizer and the loss of training, and counts parameters."""

from typing import Any

import keras
import numpy as np

from dsa.backends.optimizers import OPTIMIZERS
from dsa.experiment.training_config import TrainingConfig


def make_optimizer(
    config: TrainingConfig, model: Any, learning_rate: Any
) -> keras.optimizers.Optimizer:
    """Makes the optimizer, and excludes variables from weight decay.

    Args:
        config: the `training` section.
        model: the built model.
        learning_rate: learning rate or schedule, see `make_learning_rate`.
    """
    settings = config.optimizer.model_dump()
    optimizer_class = OPTIMIZERS[settings.pop("name")]
    accumulation_steps = None
    if config.accumulates:
        accumulation_steps = config.gradient_accumulation_steps
    optimizer = optimizer_class(
        learning_rate=learning_rate,
        global_clipnorm=config.clip_norm,
        gradient_accumulation_steps=accumulation_steps,
        use_ema=config.use_ema,
        ema_momentum=config.ema_momentum,
        **settings,
    )
    optimizer.exclude_from_weight_decay(list_variables_without_decay(model))
    return optimizer


def list_variables_without_decay(model: Any) -> list[Any]:
    """Returns the trainable variables that are excluded from weight decay.

    Word vectors, biases and the scales of layer normalizations are excluded.
    """
    word_vectors = model.embedding.table.trainable_variables
    word_vector_ids = {id(variable) for variable in word_vectors}
    excluded = []
    for variable in model.trainable_variables:
        num_axes = len(variable.shape)
        is_bias = variable.name == "bias"  # the bias of a GRU has two axes
        if num_axes < 2 or is_bias or id(variable) in word_vector_ids:
            excluded.append(variable)
    return excluded


def make_loss(
    config: TrainingConfig, task: Any, class_weights: np.ndarray | None = None
) -> Any:
    """Makes the loss function of a task, with label smoothing and class weights.

    Args:
        config: the `training` section.
        task: the task.
        class_weights: factor of the loss for the rows of each of the K labels, `(K,)`;
            `None` for equal weights.
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
    """Counts the parameters of a model.

    Returns: the entry `parameters` of `environment.json`: the number of trainable
        parameters without word vectors, the number of parameters of the word vectors,
        and whether the word vectors are trained.
    """
    embedding = model.embedding
    trainable = _count_elements(model.trainable_variables)
    trainable_embeddings = _count_elements(embedding.table.trainable_variables)
    return {
        "trainable_without_embeddings": trainable - trainable_embeddings,
        "embeddings": embedding.vocabulary_size * embedding.units,
        "embeddings_trained": trainable_embeddings > 0,
    }


def _count_elements(variables):
    """Returns the total number of elements of variables."""
    return int(sum(np.prod(variable.shape) for variable in variables))

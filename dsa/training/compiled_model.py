"""How a model is trained, as a config says: loss, optimizer, schedule."""

import keras
import numpy as np

from dsa.backends.compilation import compiles_each_shape
from dsa.backends.optimizers import OPTIMIZERS
from dsa.data.corpora.catalogue import corpus_named
from dsa.errors import InputError
from dsa.models.registry import build_model
from dsa.tasks.relatedness import Relatedness
from dsa.tasks.score_divergence import ScoreDivergence


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
        **_loss(corpus_named(experiment.data.corpus).task),
        jit_compile=compiles_each_shape(),
    )
    optimizer.build(model.trainable_variables)
    if config.steps_at_once > 1:
        _build_loss(model)
    return model


def _build_loss(model):
    """Makes the state of loss and metrics: `fit` would, from data that it takes for one
    batch."""
    inputs = {name: np.ones((1, 2), np.int32) for name in model.sentences}
    labels, logits = np.zeros(1, np.int32), model(inputs, training=False)
    model.compute_loss(inputs, labels, logits)
    model.compute_metrics(inputs, labels, logits)
    model.reset_metrics()


def refuse_steps_at_once(config):
    """Raises: `InputError` for several steps in one program, except on JAX."""
    if config.steps_at_once > 1 and keras.backend.backend() != "jax":
        raise InputError("'training.steps_at_once' above 1 needs the JAX backend")


def _loss(task):
    """Loss and metrics of training."""
    if isinstance(task, Relatedness):
        return {"loss": ScoreDivergence(task.lowest)}
    return {
        "loss": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        "weighted_metrics": [keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
    }


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

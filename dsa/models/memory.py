"""Whether this machine can hold the weights of a model, asked before it is built."""

from dsa.errors import InputError
from dsa.system.environment import measure_memory

BYTES = 4  # of a weight
IN_TRAINING = 3  # a weight, its gradient, and what the optimizer keeps of it
GIGABYTE = 10**9


def check_size(experiment, vocabulary_size=0, training=False):
    """Raises `InputError` for a model whose weights need more memory than this machine
    has. Nothing is built: the families count the weights of their large matrices.

    Args:
        experiment: an `Experiment`.
        vocabulary_size: rows of the embedding table, as far as they are known.
        training: whether gradients and the optimizer need memory too.
    """
    memory = measure_memory()
    needed = estimate_bytes(experiment, vocabulary_size, training)
    if memory is not None and needed > memory:
        raise InputError(
            f"model: its weights need at least {needed / GIGABYTE:,.0f} GB, this "
            f"machine has {memory / GIGABYTE:,.0f}"
        )


def estimate_bytes(experiment, vocabulary_size=0, training=False):
    """The bytes that the weights need at least; arguments as `check_size`."""
    embedding, model = experiment.embedding, experiment.model
    if not experiment.family.has_word_vectors:
        return 0
    weights = model.count_weights(embedding.output_units)
    weights += embedding.units * (embedding.projection or 0)
    if experiment.family.encodes:
        vector = model.count_vector_units(embedding.output_units)
        hidden = model.classifier
        weights += len(experiment.task.inputs) * vector * hidden.units
        weights += (hidden.layers - 1) * hidden.units**2
    table = vocabulary_size * embedding.units
    if embedding.trainable:
        weights, table = weights + table, 0
    return BYTES * (weights * (IN_TRAINING if training else 1) + table)

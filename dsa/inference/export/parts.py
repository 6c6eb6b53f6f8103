"""The functions of a model that are exported."""

import dataclasses
from collections.abc import Callable

from dsa.tasks.task import SINGLE

MODEL, ENCODER = "model", "encoder"


@dataclasses.dataclass(frozen=True)
class Part:
    """A function of a model.

    Args:
        compute: a function of a dictionary of tensors to a tensor.
        inputs: `{name: (type, shape)}`, `None` in a shape for an open size.
        output: the name of what it gives.
    """

    compute: Callable
    inputs: dict[str, tuple]
    output: str


def list_parts(experiment, model):
    """The `Part`s of a Keras model by name: the whole of it, ids and features to
    logits; and of one that encodes its encoder, ids to the vector of a sentence."""
    ids = ("int32", (None, None))
    inputs = {name: ids for name in experiment.inputs}
    if experiment.feature_count:
        inputs["features"] = ("float32", (None, experiment.feature_count))
    parts = {MODEL: Part(lambda batch: model(batch, training=False), inputs, "logits")}
    if experiment.family.encodes:
        (name,) = SINGLE

        def encode(batch):
            return model.encode(batch[name], training=False)

        parts[ENCODER] = Part(encode, {name: ids}, "vector")
    return parts

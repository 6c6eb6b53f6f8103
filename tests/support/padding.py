"""How much of training batches is padding."""

from dsa.tasks.task import PAIR


def measure_padding(made):
    """The share of id 0, which is padding, in the first epoch of `TrainingBatches`."""
    ids = [
        inputs[side]
        for inputs, _ in map(made.make_batch, range(made.steps_per_epoch))
        for side in PAIR
    ]
    return sum((side == 0).sum() for side in ids) / sum(side.size for side in ids)

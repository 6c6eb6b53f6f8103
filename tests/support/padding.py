"""Share of padding in training batches."""

from dsa.tasks.task import PAIR


def measure_padding(batches):
    """Returns the share of padding (id 0) in an epoch of `TrainingBatches`."""
    ids = [
        inputs[side]
        for inputs, _ in map(batches.make_batch, range(batches.steps_per_epoch))
        for side in PAIR
    ]
    return sum((side == 0).sum() for side in ids) / sum(side.size for side in ids)

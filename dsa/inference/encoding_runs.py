"""Which runs have vectors of sentences."""

from dsa.errors import InputError
from dsa.models.registry import encoder_names


def check_encodes(path, experiment):
    """Raises an error if sentence vectors are asked of a run that has none.

    Args:
        path: of the run.
        experiment: its `Experiment`.

    Raises: `InputError`.
    """
    if not experiment.family.encodes:
        raise InputError(
            f"{path}: '{experiment.model.name}' reads pairs, and has no vector of a "
            f"sentence. Models that encode: {', '.join(encoder_names())}"
        )

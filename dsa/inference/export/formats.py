"""The formats of exported models, and which models they hold. No Keras."""

from dsa.errors import InputError

BYTES = 4  # of a weight
MOST_BYTES = {  # of the weights
    "onnx": 2 * 10**9,  # a file is one message of Protocol Buffers
    "savedmodel": None,  # no limit
}


def check_format(name):
    """Raises: `InputError` with the known formats."""
    if name not in MOST_BYTES:
        raise InputError(f"unknown format '{name}'. Known: {', '.join(MOST_BYTES)}")


def check_model(trained, name):
    """Raises an error for a model that a format cannot hold.

    Args:
        trained: the `TrainedModel`.
        name: of the format.

    Raises: `InputError`.
    """
    experiment = trained.experiment
    if not experiment.family.is_network:
        raise InputError(
            f"{trained.run.path}: '{experiment.model.name}' is a linear model over "
            f"features of texts, no network: '{name}' cannot hold it"
        )
    if experiment.data.view:
        raise InputError(
            f"{trained.run.path}: was trained with 'data.view', and an exported model "
            "reads whole rows"
        )
    most = MOST_BYTES[name]
    size = sum(BYTES * weight.size for weight in trained.model.get_weights())
    if most is not None and size > most:
        raise InputError(
            f"{trained.run.path}: the weights have {size / 1e9:.1f} GB, '{name}' holds "
            f"at most {most / 1e9:.0f} GB. '--format savedmodel' has no limit"
        )

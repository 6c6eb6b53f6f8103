"""Curves for TensorBoard."""

import keras

from dsa.backends.abilities import has_tensorboard
from dsa.errors import InputError


def tensorboard_callbacks(config, run):
    """Keras's callback that writes them, where the config asks for it.

    Args:
        config: the `TrainingConfig`.
        run: the `RunFolder`; the curves go into its folder `tensorboard`.

    Returns: a list of one callback, or of none.

    Raises: `InputError` on another backend than TensorFlow, or without the package.
    """
    if not config.tensorboard:
        return []
    if not has_tensorboard():
        raise InputError("'training.tensorboard' needs the TensorFlow backend")
    try:
        import tensorboard  # noqa: F401
    except ImportError as error:
        raise InputError(
            "'training.tensorboard' needs the package tensorboard: pip install "
            "tensorboard"
        ) from error
    return [
        keras.callbacks.TensorBoard(str(run.path / "tensorboard"), write_graph=False)
    ]

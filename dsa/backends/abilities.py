"""What the running backend can do that others cannot."""

import keras


def takes_several_steps():
    """Whether one call of a compiled program can take several training steps: on JAX
    only, by `dsa.backends.scanned_model`."""
    return keras.backend.backend() == "jax"

"""The base of layers that are told which tokens are real."""

import keras


class MaskedLayer(keras.layers.Layer):
    """A layer that takes `mask` as an argument and attaches none to its output.

    Keras would otherwise warn that the mask is lost, or hang a `(B, L)` mask on a
    `(B, S)` vector, where losses and metrics pick it up.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, inputs, previous_mask):
        return None

"""The shape of what a layer gives, asked before it is called."""

import keras


def infer_output_shape(layer, input_shape):
    """The shape of a layer's output, from that of word vectors `(B, L, D)`.

    A layer that has `compute_output_shape` is not called. Another one is called with a
    symbolic tensor, which takes as long as a first call.
    """
    words = keras.KerasTensor(input_shape, layer.compute_dtype)
    return layer.compute_output_spec(words).shape

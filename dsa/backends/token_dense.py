"""A linear map of every token, as one product of two matrices."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class TokenDense(keras.layers.Dense):
    """Keras's layer on `(..., D)`, with all tokens as rows of one matrix.

    TensorFlow makes one operation of a product of matrices, its bias and its ReLU, but
    not of a product with a tensor of a higher rank.
    """

    def call(self, x):
        rows = super().call(ops.reshape(x, (-1, x.shape[-1])))
        return ops.reshape(rows, (*ops.shape(x)[:-1], self.units))

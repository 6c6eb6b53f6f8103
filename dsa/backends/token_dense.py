"""A linear map of every token, as one product of two matrices."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class TokenDense(keras.layers.Dense):
    """Keras's layer on `(..., D)`, where all tokens are the rows of one matrix.

    TensorFlow computes a product of two matrices, its bias and its ReLU in one
    operation. It does not do so for a product with a tensor of a higher rank.
    `benchmarks/fast_forms.py` measures how much faster a training step becomes.
    """

    def call(self, x):
        # (N, D): one row for each token
        rows = super().call(ops.reshape(x, (-1, x.shape[-1])))
        return ops.reshape(rows, (*ops.shape(x)[:-1], self.units))

"""Layer normalisation with its gradient written out."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class LayerNormalization(keras.layers.LayerNormalization):
    """Keras's layer, over the last axis, with gain and bias.

    On TensorFlow it is `normalized`. XLA fuses the formula and its derivative by
    itself, and PyTorch has an operation for it, which Keras uses.
    """

    def call(self, x):
        if keras.backend.backend() != "tensorflow":
            return super().call(x)
        # reshaped to be tensors: a custom gradient takes no variables on TensorFlow
        gain, bias = (ops.reshape(each, (-1,)) for each in (self.gamma, self.beta))
        rows = ops.cast(ops.reshape(x, (-1, x.shape[-1])), gain.dtype)
        rows = normalized(rows, gain, bias, self.epsilon)
        return ops.cast(ops.reshape(rows, ops.shape(x)), self.compute_dtype)


def normalized(x, gain, bias, epsilon):
    """`h gain + bias`, h = (x - mean(x)) / sqrt(var(x) + epsilon), of every row.

    Automatic differentiation of that formula reads and writes arrays of the size of x
    about twice as often as the gradient needs, a good part of a training step on
    TensorFlow's own kernels. Here, with u the gradient of the result and D features,

        dx = (u gain - mean(u gain) - h mean(u h gain)) / sqrt(var(x) + epsilon)

    where both means are products with the vector gain / D.

    Args:
        x: tensor `(N, D)`.
        gain, bias: tensors `(D,)`.
        epsilon: float.

    Returns: tensor `(N, D)`.

    Reference: Ba et al. 2016, arXiv:1607.06450, equation 4.
    """

    @ops.custom_gradient
    def normalize(x, gain, bias):
        centred = x - ops.mean(x, axis=-1, keepdims=True)
        variance = ops.mean(ops.square(centred), axis=-1, keepdims=True)
        scale = ops.rsqrt(variance + epsilon)
        h = centred * scale

        def gradient(u):
            product, share = u * h, ops.expand_dims(gain / x.shape[-1], 1)
            dx = u * gain - ops.matmul(u, share) - h * ops.matmul(product, share)
            return scale * dx, ops.sum(product, axis=0), ops.sum(u, axis=0)

        return h * gain + bias, gradient

    return normalize(x, gain, bias)

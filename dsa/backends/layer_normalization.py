"""Layer normalization with a custom gradient."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class LayerNormalization(keras.layers.LayerNormalization):
    """Layer normalization that is faster on TensorFlow.

    On TensorFlow, normalization over the last axis with gain and bias is computed by
    `normalize_rows`. With other arguments, and on JAX and PyTorch, the layer calls the
    implementation of Keras, because XLA fuses the formula and its derivative, and
    PyTorch has a fused operation. `benchmarks/fast_forms.py` measures the speed-up of a
    training step.
    """

    def call(self, inputs: Any) -> Any:
        has_gain_and_bias = self.scale and self.center
        is_supported = has_gain_and_bias and self.axis in (-1, [-1])
        if keras.backend.backend() != "tensorflow" or not is_supported:
            return super().call(inputs)
        # reshape converts the variables to tensors, as custom gradients require
        gain: Any = ops.reshape(self.gamma, (-1,))
        bias: Any = ops.reshape(self.beta, (-1,))
        # (N, D): one row for each token
        rows = ops.cast(ops.reshape(inputs, (-1, inputs.shape[-1])), gain.dtype)
        rows = normalize_rows(rows, gain, bias, self.epsilon)
        return ops.cast(ops.reshape(rows, ops.shape(inputs)), self.compute_dtype)


def normalize_rows(x: Any, gain: Any, bias: Any, epsilon: float) -> Any:
    """Computes `h gain + bias` for each row.

        h = (x - mean(x)) / sqrt(var(x) + epsilon)

    Automatic differentiation of this formula reads and writes arrays of the size of x
    about twice as often as necessary, which takes a considerable share of a training
    step on TensorFlow. With the gradient u of the loss with respect to the result, and
    D features, the gradient with respect to x is

        dx = (u gain - mean(u gain) - h mean(u h gain)) / sqrt(var(x) + epsilon)

    Both means are computed as products with the vector gain / D. The custom gradient
    supports TensorFlow only.

    Args:
        x: tensor `(N, D)`.
        gain, bias: tensors `(D,)`.
        epsilon: number added to the variance.

    Returns: tensor `(N, D)`.

    Reference: Ba et al. 2016, arXiv:1607.06450, equation 4.
    """

    @ops.custom_gradient
    def normalize(x, gain, bias):
        centered = x - ops.mean(x, axis=-1, keepdims=True)
        variance: Any = ops.mean(ops.square(centered), axis=-1, keepdims=True)
        scale = ops.rsqrt(variance + epsilon)
        h = centered * scale

        def gradient(u):
            product = u * h
            # (D, 1)
            gain_over_d = ops.expand_dims(gain / x.shape[-1], 1)
            # (N, 1)
            mean_u_gain = ops.matmul(u, gain_over_d)
            mean_u_h_gain = ops.matmul(product, gain_over_d)
            dx = scale * (u * gain - mean_u_gain - h * mean_u_h_gain)
            return dx, ops.sum(product, axis=0), ops.sum(u, axis=0)

        return h * gain + bias, gradient

    return normalize(x, gain, bias)

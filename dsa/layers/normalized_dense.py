"""A linear map, its layer normalisation and its activation."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class NormalizedDense(keras.layers.Layer):
    """`activation(LN(x W + b))`, the linear projection of DSA.

    LN normalises the last axis, with its own gain and bias and epsilon 1e-5. It works
    on each token by itself, so padding cannot leak through it.

    Args:
        units: features of the output.
        activation: name of a Keras activation, applied after LN; `None` for none.
        use_bias: whether the linear map has the bias `b`.
        layer_norm: `False` leaves LN out.

    Call arguments:
        x: tensor `(..., D)`.

    Returns: tensor `(..., units)`.

    Reference: Im & Cho 2017, section 5.2 ("Layer normalization was applied to all
    linear projections"). The paper leaves open whether LN stands before or after an
    activation; here it stands before it.
    """

    def __init__(
        self, units, activation=None, use_bias=True, layer_norm=True, **kwargs
    ):
        super().__init__(**kwargs)
        self.units = units
        self.activation = activation
        self.use_bias = use_bias
        self.layer_norm = layer_norm

    def build(self, input_shape):
        self.dense = keras.layers.Dense(
            self.units, use_bias=self.use_bias, dtype=self.dtype_policy, name="dense"
        )
        self.dense.build(input_shape)
        self.norm = None
        if self.layer_norm:
            self.norm = keras.layers.LayerNormalization(
                epsilon=1e-5, dtype="float32", name="layer_norm"
            )
            self.norm.build((*input_shape[:-1], self.units))

    def call(self, x):
        x = self.dense(x)
        if self.norm is not None:
            x = ops.cast(self.norm(x), self.compute_dtype)
        return keras.activations.get(self.activation)(x)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "activation": self.activation,
            "use_bias": self.use_bias,
            "layer_norm": self.layer_norm,
        }

"""A linear map with dropout before it, layer normalisation and activation after it."""

from typing import Any

import keras
from keras import ops

from dsa.layers.composed_layer import ComposedLayer
from dsa.layers.masks import Tensor

NEGATIVE_SLOPE = 0.01  # of `leaky_relu`, PyTorch's; Keras's own is 0.2


def make_decay(l2: float) -> keras.regularizers.Regularizer | None:
    """The regularizer `l2 * sum(W^2) / 2` (TensorFlow's `l2_loss`), `None` for 0."""
    return keras.regularizers.L2(l2 / 2) if l2 else None


def activate(name: str | None, x: Tensor) -> Tensor:
    """`x` after an activation: one of Keras by its name, or `leaky_relu` with PyTorch's
    slope; `None` for none.

    Example:
        >>> ops.convert_to_numpy(activate("relu", ops.array([-2.0, 3.0]))).tolist()
        [0.0, 3.0]
    """
    if name == "leaky_relu":
        return ops.leaky_relu(x, NEGATIVE_SLOPE)
    return keras.activations.get(name)(x)


@keras.saving.register_keras_serializable(package="dsa")
class NormalizedDense(ComposedLayer):
    """`activation(LN(Dropout(x) W + b))`, the linear map of DSA (with LN) and of DiSAN
    (without, but with dropout and decay).

    LN normalises the last axis, with its own gain and bias and epsilon 1e-5. It works
    on each token by itself, so padding cannot leak through it.

    Args:
        units: features of the output.
        activation: name of an activation after LN, see `activate`; `None` for none.
        use_bias: whether the linear map has the bias `b`.
        layer_norm: `False` leaves LN out.
        dropout: dropped share of the input.
        l2: adds `l2 * sum(W^2) / 2` to the loss.

    Call arguments:
        x: tensor `(..., D)`.

    Returns: tensor `(..., units)`.

    Reference: Im & Cho 2017, section 5.2 ("Layer normalization was applied to all
    linear projections"). The paper leaves open whether LN comes before or after an
    activation; here it comes before it. Shen et al. 2018, training setup: dropout on
    the input of every linear map, `tf.nn.l2_loss` on its matrix.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(NormalizedDense(6, activation="relu")(x).shape)
        (2, 5, 6)
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        layer_norm: bool = True,
        dropout: float = 0.0,
        l2: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.activation = activation
        self.use_bias = use_bias
        self.layer_norm = layer_norm
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def build(self, input_shape):
        self.drop = self.make_dropout()
        self.dense = self.build_part(
            keras.layers.Dense,
            "dense",
            input_shape,
            self.units,
            use_bias=self.use_bias,
            kernel_regularizer=make_decay(self.l2),
        )
        self.norm = None
        if self.layer_norm:
            self.norm = self.build_norm("layer_norm", (*input_shape[:-1], self.units))

    def call(self, x: Tensor, training=None):
        x = self.dense(self.drop(x, training=training))
        if self.norm is not None:
            x = ops.cast(self.norm(x), self.compute_dtype)
        return activate(self.activation, x)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

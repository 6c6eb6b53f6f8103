"""Dense layer with input dropout, layer normalisation, activation and weight decay."""

from typing import Any

import keras
from keras import ops

from dsa.backends.layer_normalization import LayerNormalization
from dsa.layers.masks import Tensor

NEGATIVE_SLOPE = 0.01  # default of `leaky_relu` in PyTorch; 0.2 in Keras


def make_l2_regularizer(l2: float) -> keras.regularizers.Regularizer | None:
    """Returns the regularizer `l2 * sum(W^2) / 2`, or `None` if `l2` is 0.

    The regularizer equals `l2` times TensorFlow's `tf.nn.l2_loss`, in contrast to
    `keras.regularizers.L2`, which omits the factor 1/2.
    """
    return keras.regularizers.L2(l2 / 2) if l2 else None


def apply_activation(name: str | None, x: Tensor) -> Tensor:
    """Applies the Keras activation with a given name to a tensor.

    "leaky_relu" has the slope 0.01 for negative inputs, as in PyTorch. `None` is the
    identity.

    Example:
        >>> x = ops.array([-2.0, 3.0])
        >>> ops.convert_to_numpy(apply_activation("relu", x)).tolist()
        [0.0, 3.0]
    """
    if name == "leaky_relu":
        return ops.leaky_relu(x, NEGATIVE_SLOPE)
    return keras.activations.get(name)(x)


@keras.saving.register_keras_serializable(package="dsa")
class NormalizedDense(keras.layers.Layer):
    """Dense layer with layer normalisation: `activation(LN(Dropout(x) W + b))`.

    DSA uses layer normalisation (LN). DiSAN uses dropout and weight decay instead. LN
    normalises the last axis, with a gain, a bias and epsilon 1e-5. The layer operates
    on each token independently, so padding does not affect real tokens.

    Args:
        units: integer, number of output features.
        activation: name of the activation after LN, see `apply_activation`.
        use_bias: whether to add the bias `b`.
        layer_norm: whether to apply LN.
        dropout: dropout rate of the input.
        l2: coefficient of the weight decay, which adds `l2 * sum(W^2) / 2` to the loss.
        seed: seed of the dropout; `None` for an unseeded dropout.

    Call arguments:
        x: tensor `(..., D)`.

    Returns: tensor `(..., units)`.

    Reference: Im & Cho 2017, section 5.2 ("Layer normalization was applied to all
    linear projections"). The paper does not specify the order of LN and activation;
    this layer applies LN first. Shen et al. 2018, training setup, for dropout on the
    input of every linear map and the weight decay `tf.nn.l2_loss` of its matrix.

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
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        self.dense = keras.layers.Dense(
            self.units,
            use_bias=self.use_bias,
            kernel_regularizer=make_l2_regularizer(self.l2),
            dtype=self.dtype_policy,
            name="dense",
        )
        self.dense.build(input_shape)
        self.norm = None
        if self.layer_norm:
            self.norm = LayerNormalization(
                epsilon=1e-5, dtype="float32", name="layer_norm"
            )
            self.norm.build((*input_shape[:-1], self.units))

    def call(self, x: Tensor, training: bool | None = None):
        x = self.dense(self.drop(x, training=training))
        if self.norm is not None:
            x = ops.cast(self.norm(x), self.compute_dtype)
        return apply_activation(self.activation, x)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

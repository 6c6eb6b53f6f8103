"""Feed-forward network of the decomposable attention model."""

from typing import Any

import keras

from dsa.layers.masks import Tensor
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class FeedForward(keras.layers.Layer):
    """Two dense layers with ReLU and input dropout.

        output = max(0, max(0, x W_1 + b_1) W_2 + b_2)

    Args:
        units: integer, number of features of both layers.
        dropout: dropout rate of the inputs of both layers.
        initial_deviation: standard deviation of the normal initializer of W_1 and W_2;
            `None` for Glorot uniform initialization.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments:
        x: tensor `(..., D)`.

    Returns: tensor `(..., units)`.

    Reference: Parikh et al. 2016, section 4.2: "2-layers, each with 200 neurons".

    Example:
        >>> tuple(FeedForward(6)(keras.ops.ones((2, 5, 4))).shape)
        (2, 5, 6)
    """

    def __init__(
        self,
        units: int,
        dropout: float = 0.0,
        initial_deviation: float | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.initial_deviation = initial_deviation
        self.seed = seed
        self.dense_layers = [
            keras.layers.Dense(
                units,
                activation="relu",
                kernel_initializer=make_initializer(initial_deviation),
                dtype=self.dtype_policy,
                name=name,
            )
            for name in ("first", "second")
        ]
        self.drops = [
            keras.layers.Dropout(
                dropout, seed=derived_seed(seed, name), dtype=self.dtype_policy
            )
            for name in ("first", "second")
        ]

    def build(self, input_shape):
        first, second = self.dense_layers
        first.build(input_shape)
        second.build((*input_shape[:-1], self.units))

    def call(self, x: Tensor, training: bool | None = None):
        # (..., units) after each layer
        for drop, dense in zip(self.drops, self.dense_layers, strict=True):
            x = dense(drop(x, training=training))
        return x


def make_initializer(std: float | None) -> Any:
    """Returns a normal initializer with standard deviation `std`; Glorot uniform if
    `std` is `None`."""
    if std is None:
        return "glorot_uniform"
    return keras.initializers.RandomNormal(0.0, std)

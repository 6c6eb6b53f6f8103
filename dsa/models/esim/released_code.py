"""Initializers and dropout of the released code of ESIM, which differ from Keras.

Reference: Chen et al. 2017 (arXiv:1609.06038), the authors' code, `scripts/ESIM`.
"""

from typing import Any

import keras
from keras import ops

from dsa.layers.masks import Tensor

NUM_GATES = 4  # matrices in an LSTM kernel: input, forget, cell candidate, output


@keras.saving.register_keras_serializable(package="dsa")
class OrthogonalOrNormal(keras.initializers.Initializer):
    """Orthogonal initializer for square matrices; 0.01 N(0, 1) for other matrices.

    The kernel of an LSTM concatenates one matrix per gate. Each matrix is initialized
    independently.

    Args:
        gates: number of concatenated matrices.
        orthogonal: whether square matrices are orthogonal. If `False`, all matrices
            are drawn from 0.01 N(0, 1).

    Example:
        >>> gate = OrthogonalOrNormal(gates=2)((3, 6))[:, 3:]
        >>> product = ops.matmul(ops.transpose(gate), gate)
        >>> bool(ops.max(ops.abs(product - ops.eye(3))) < 1e-5)
        True
    """

    def __init__(self, gates: int = 1, orthogonal: bool = True):
        self.gates = gates
        self.orthogonal = orthogonal

    def __call__(self, shape, dtype=None):
        rows = shape[0]
        columns = shape[1] // self.gates
        matrices = []
        for _ in range(self.gates):
            # one initializer per matrix, because a Keras initializer returns the same
            # values in every call
            if self.orthogonal and rows == columns:
                initializer = keras.initializers.Orthogonal()
            else:
                initializer = keras.initializers.RandomNormal(0.0, 0.01)
            matrices.append(initializer((rows, columns), dtype=dtype))
        return ops.concatenate(matrices, axis=1)

    def get_config(self):
        return {"gates": self.gates, "orthogonal": self.orthogonal}


@keras.saving.register_keras_serializable(package="dsa")
class UnscaledDropout(keras.layers.Layer):
    """Dropout that scales its inputs by `1 - rate` at inference, not in training.

        training:   y = mask * x
        inference:  y = (1 - rate) * x

    `keras.layers.Dropout` scales by `1 / (1 - rate)` during training instead.

    Args:
        rate: fraction of the inputs to drop, from 0 to 1.
        seed: seed of the dropout; `None` for an unseeded dropout.

    Call arguments:
        x: tensor of any shape.

    Returns: tensor of the same shape.

    Example:
        >>> float(UnscaledDropout(0.25)(ops.ones(())))
        0.75
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        self.rate = rate
        self.seed = seed
        self.drop = keras.layers.Dropout(rate, seed=seed, dtype=self.dtype_policy)
        self.built = True

    def call(self, x: Tensor, training: bool | None = None):
        return self.drop(x, training=training) * (1 - self.rate)

"""How the released code of ESIM begins and drops, which differs from Keras.

Reference: Chen et al. 2017 (arXiv:1609.06038), the authors' code, `scripts/ESIM`.
"""

from typing import Any

import keras
from keras import ops

from dsa.layers.masks import Tensor

GATES = 4  # of an LSTM: input, forget, output and the new memory


@keras.saving.register_keras_serializable(package="dsa")
class OrthogonalOrNormal(keras.initializers.Initializer):
    """An orthogonal matrix where it is square, else 0.01 N(0, 1).

    Args:
        gates: matrices side by side, each of which is drawn by itself.
        orthogonal: `False` draws a square matrix from 0.01 N(0, 1) too.

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
        rows, columns = shape[0], shape[1] // self.gates
        square = self.orthogonal and rows == columns
        parts = [
            # one initializer for each: its seed is another one
            (
                keras.initializers.Orthogonal()
                if square
                else keras.initializers.RandomNormal(0.0, 0.01)
            )((rows, columns), dtype=dtype)
            for _ in range(self.gates)
        ]
        return ops.concatenate(parts, axis=1)

    def get_config(self):
        return {"gates": self.gates, "orthogonal": self.orthogonal}


def recurrent_options() -> dict[str, Any]:
    """How the released code begins an LSTM: options of `BiLSTM`."""
    return {
        "kernel_initializer": OrthogonalOrNormal(GATES),
        "recurrent_initializer": OrthogonalOrNormal(GATES),
        "unit_forget_bias": False,
    }


@keras.saving.register_keras_serializable(package="dsa")
class UnscaledDropout(keras.layers.Layer):
    """Dropout as it was first written: what is kept stays as it is in training, and is
    multiplied by the share that is kept afterwards.

        training: x mask;  afterwards: x (1 - rate)

    Keras's `Dropout` divides by 1 - rate in training instead.

    Args:
        rate: dropped share.
        seed: of the masks; `None` for unseeded ones.

    Call arguments:
        x: tensor of any shape.

    Returns: tensor of x's shape.

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

    def call(self, x: Tensor, training=None):
        return self.drop(x, training=training) * (1 - self.rate)

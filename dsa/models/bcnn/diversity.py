"""A loss that keeps the filters of a matrix different from each other."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class Diversity(keras.regularizers.Regularizer):
    """`l2 sum(W^2) + diversity |W W^T - I|^2`, with a row of W for each output of a
    layer.

    Args:
        l2, diversity: the two factors.

    Reference: not in the paper; the authors' code for SICK, with 0.01.

    Example:
        >>> kernel = ops.array([[1.0, 1.0], [0.0, 0.0]])  # two equal filters
        >>> float(Diversity(diversity=0.5)(kernel))
        1.0
    """

    def __init__(self, l2=0.0, diversity=0.0):
        self.l2 = l2
        self.diversity = diversity

    def __call__(self, x):
        rows = ops.transpose(ops.reshape(x, (-1, x.shape[-1])))
        products = ops.matmul(rows, ops.transpose(rows)) - ops.eye(x.shape[-1])
        different = self.diversity * ops.sum(ops.square(products))
        return different + self.l2 * ops.sum(ops.square(x))

    def get_config(self):
        return {"l2": self.l2, "diversity": self.diversity}


def add_diversity(model, l2, diversity):
    """Give the filters and the last layer of a `BCNN` this loss instead of `l2`."""
    kernels = [block.convolution.convolution.kernel for block in model.all_blocks]
    for kernel in (*kernels, model.logits.kernel):
        kernel.regularizer = Diversity(l2, diversity)

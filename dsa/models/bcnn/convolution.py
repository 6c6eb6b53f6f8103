"""The wide convolution of a sentence.

B sentences, S positions, D features, U filters, w positions a filter sees.
"""

import keras
from keras import ops

from dsa.layers.masks import MaskedLayer
from dsa.models.bcnn.initializers import ConvolutionUniform


def mask_columns(mask, width):
    """The mask of a wide convolution's columns: `(B, S)` to `(B, S + w - 1)`.

    A sentence of s tokens has s + w - 1 columns: one for every window that holds one of
    its tokens.

    Example:
        >>> mask = ops.convert_to_tensor([[True, True, False]])
        >>> ops.convert_to_numpy(mask_columns(mask, 3)).tolist()
        [[True, True, True, True, False]]
    """
    # not `ops.pad`: ONNX pads no booleans
    first = ops.ones((ops.shape(mask)[0], width - 1), dtype="bool")
    return ops.concatenate([first, mask], axis=1)


@keras.saving.register_keras_serializable(package="dsa")
class WideConvolution(MaskedLayer):
    """`p_j = tanh(W [x_{j-w+1}; ...; x_j] + b)`, j = 1 .. s + w - 1; x outside the
    sentence is 0, and so is p after the sentence's last column.

    Args:
        filters: U.
        width: w, in tokens.
        channels: C, how many feature maps are beside each other in D.
        initializer: "authors" for `ConvolutionUniform`, or a Keras initializer's name.
        l2: the loss has `l2 * sum(W^2)` more.

    Call arguments:
        x: tensor `(B, S, D)`, exactly 0 at padding.
        mask: `(B, S)` bool, True for real tokens.

    Returns: tensor `(B, S + w - 1, U)`.

    Reference: Yin et al. 2016, section 3, "Convolution layer".
    """

    def __init__(
        self, filters, width, channels=1, initializer="authors", l2=0.0, **kwargs
    ):
        super().__init__(**kwargs)
        self.filters = filters
        self.width = width
        self.channels = channels
        self.initializer = initializer
        self.l2 = l2

    def build(self, input_shape):
        authors = self.initializer == "authors"
        self.convolution = keras.layers.Conv1D(
            self.filters,
            self.width,
            activation="tanh",
            kernel_initializer=ConvolutionUniform(self.channels)
            if authors
            else self.initializer,
            kernel_regularizer=keras.regularizers.L2(self.l2) if self.l2 else None,
            dtype=self.dtype_policy,
            name="convolution",
        )
        self.convolution.build((None, None, input_shape[-1]))

    def call(self, x, mask):
        edge = self.width - 1
        # (B, S + 2 (w - 1), D)
        padded = ops.pad(x, [[0, 0], [edge, edge], [0, 0]])
        # (B, S + w - 1, U)
        columns = self.convolution(padded)
        return ops.where(mask_columns(mask, self.width)[..., None], columns, 0.0)

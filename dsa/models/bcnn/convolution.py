"""The wide convolution of a sentence, and ABCNN-1's feature map, which comes before it.

B pairs or sentences, S, P and Q positions, D features, U filters, w positions a filter
sees.
"""

from typing import Any

import keras
from keras import ops

from dsa.layers.masks import MaskedLayer, Tensor, tensor_shape


@keras.saving.register_keras_serializable(package="dsa")
class ConvolutionUniform(keras.initializers.RandomUniform):
    """Uniform in `[-b, b]`, `b = sqrt(6 / ((C + U) D w))`, for a convolution over `w`
    positions, C channels of D features, and U filters.

    The authors count a filter's whole input for every filter, so `b` is 0.0099 for one
    channel, D 300, w 4 and U 50. Glorot's rule gives 0.065.

    Args:
        channels: C.
        seed: of the draw.

    Reference: not in the paper; the authors' code.

    Example:
        >>> import numpy as np
        >>> kernel = ConvolutionUniform()((4, 300, 50))
        >>> round(float(np.abs(keras.ops.convert_to_numpy(kernel)).max()), 4)
        0.0099
    """

    def __init__(self, channels: int = 1, seed: int | None = None):
        super().__init__(seed=seed)
        self.channels = channels

    def __call__(self, shape, dtype=None):
        width, features, filters = shape
        features_of_a_channel = features / self.channels
        self.maxval = (
            6 / ((self.channels + filters) * features_of_a_channel * width)
        ) ** 0.5
        self.minval = -self.maxval
        return super().__call__(shape, dtype)

    def get_config(self):
        return {"channels": self.channels, "seed": super().get_config()["seed"]}


def mask_columns(mask: Tensor, width: int) -> Tensor:
    """The mask of a wide convolution's columns: `(B, S)` to `(B, S + w - 1)`.

    A sentence of s tokens has s + w - 1 columns: one for every window that holds one of
    its tokens.

    Example:
        >>> mask = ops.convert_to_tensor([[True, True, False]])
        >>> ops.convert_to_numpy(mask_columns(mask, 3)).tolist()
        [[True, True, True, True, False]]
    """
    # not `ops.pad`: ONNX pads no booleans
    first = ops.ones((tensor_shape(mask)[0], width - 1), dtype="bool")
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
        self,
        filters: int,
        width: int,
        channels: int = 1,
        initializer: str = "authors",
        l2: float = 0.0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.filters = filters
        self.width = width
        self.channels = channels
        self.initializer = initializer
        self.l2 = l2

    def build(self, input_shape):
        initial: Any = self.initializer
        if initial == "authors":
            initial = ConvolutionUniform(self.channels)
        self.convolution = self.build_part(
            keras.layers.Conv1D,
            "convolution",
            (None, None, input_shape[-1]),
            self.filters,
            self.width,
            activation="tanh",
            kernel_initializer=initial,
            kernel_regularizer=keras.regularizers.L2(self.l2) if self.l2 else None,
        )

    def call(self, x: Tensor, mask: Tensor):
        edge = self.width - 1
        # (B, S + 2 (w - 1), D)
        padded = ops.pad(x, [[0, 0], [edge, edge], [0, 0]])
        # (B, S + w - 1, U)
        columns = self.convolution(padded)
        return ops.where(mask_columns(mask, self.width)[..., None], columns, 0.0)


@keras.saving.register_keras_serializable(package="dsa")
class AttentionFeatureMap(keras.layers.Layer):
    """`F_0 = A W_a`, `F_1 = A^T W_a`: for each token the rows of W_a, weighted by how
    well the tokens of the other sentence match it.

    Row j of W_a belongs to position j of the other sentence. Both sentences share W_a.
    Padding has a match of 0, so it gets 0 and gives nothing.

    Args:
        max_tokens: rows of W_a: the longest sentence that there can be.
        features: D.
        l2: the loss has `l2 * sum(W_a^2)` more.

    Call arguments:
        scores: `match_scores`, `(B, P, Q)`.

    Returns: tensors `(B, P, D)` and `(B, Q, D)`.

    Reference: Yin et al. 2016, section 4.1; W_0 = W_1 by footnote 1.
    Differs from the authors' code: there a sentence is in the middle of its padding, so
    that a word's position moves with the length, and W_a sees padding.
    """

    def __init__(self, max_tokens: int, features: int, l2: float = 0.0, **kwargs: Any):
        super().__init__(**kwargs)
        self.max_tokens = max_tokens
        self.features = features
        self.l2 = l2

    def build(self, input_shape=None):
        self.map = self.add_weight(
            shape=(self.max_tokens, self.features),
            initializer="glorot_uniform",
            regularizer=keras.regularizers.L2(self.l2) if self.l2 else None,
            name="map",
        )

    def call(self, scores: Tensor):
        first, second = tensor_shape(scores)[1], tensor_shape(scores)[2]
        scores = ops.cast(scores, self.compute_dtype)
        # (B, P, D) and (B, Q, D)
        of_first = ops.matmul(scores, self._take_rows(second))
        of_second = ops.matmul(ops.transpose(scores, (0, 2, 1)), self._take_rows(first))
        return of_first, of_second

    def _take_rows(self, count):
        """The rows of W_a of so many positions. Positions after its last row are
        padding, whose scores are 0: any row will do."""
        positions = ops.minimum(ops.arange(count), self.max_tokens - 1)
        return ops.take(self.map, positions, axis=0)

"""Wide convolution of a sentence, and attention feature maps of ABCNN-1.

B pairs or sentences, L positions of a sentence, P and Q positions of the first and
second sentence, D features, U filters, w positions in a filter.
"""

from typing import Any

import keras
from keras import ops

from dsa.layers.masks import MaskedLayer, Tensor, tensor_shape


@keras.saving.register_keras_serializable(package="dsa")
class ConvolutionUniform(keras.initializers.RandomUniform):
    """Uniform initializer of convolutions, as in the authors' code.

    The kernel has U filters over w positions and C channels of D features. Its weights
    are drawn from `[-b, b]` with `b = sqrt(6 / ((C + U) D w))`.

    The limit is smaller than the Glorot limit, because the authors multiply the number
    of filters by the size of the input. With C = 1, D = 300, w = 4 and U = 50, `b` is
    0.0099, and the Glorot limit is 0.065.

    Args:
        channels: number C of channels.
        seed: seed of the initializer; `None` for an unseeded initializer.

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
        width, num_features, num_filters = shape
        features_per_channel = num_features / self.channels
        self.maxval = (
            6 / ((self.channels + num_filters) * features_per_channel * width)
        ) ** 0.5
        self.minval = -self.maxval
        return super().__call__(shape, dtype)

    def get_config(self):
        return {"channels": self.channels, "seed": super().get_config()["seed"]}


def mask_columns(mask: Tensor, width: int) -> Tensor:
    """Returns the mask of the columns of a wide convolution.

    A sentence of s tokens has s + w - 1 columns, one for each window that contains at
    least one token.

    Args:
        mask: bool tensor `(B, L)`, True at real tokens.
        width: width w of the convolution in tokens.

    Returns: bool tensor `(B, L + w - 1)`, True at real columns.

    Example:
        >>> mask = ops.convert_to_tensor([[True, True, False]])
        >>> ops.convert_to_numpy(mask_columns(mask, 3)).tolist()
        [[True, True, True, True, False]]
    """
    # concatenated, because `ops.pad` of a boolean tensor cannot be exported to ONNX
    first_columns = ops.ones((tensor_shape(mask)[0], width - 1), dtype="bool")
    return ops.concatenate([first_columns, mask], axis=1)


@keras.saving.register_keras_serializable(package="dsa")
class WideConvolution(MaskedLayer):
    """Convolution over all windows that contain at least one token.

        p_j = tanh(W [x_{j-w+1}; ...; x_j] + b),  j = 1 .. s + w - 1

    s is the number of tokens of the sentence. x is 0 outside the sentence, and p is
    exactly 0 after the last column s + w - 1.

    Args:
        filters: number U of filters.
        width: width w of the filters in tokens.
        channels: number C of feature maps that are concatenated in the D features.
        initializer: "authors" for `ConvolutionUniform`, or the name of a Keras
            initializer.
        l2: coefficient of the weight decay, which adds `l2 * sum(W^2)` to the loss.

    Call arguments:
        x: tensor `(B, L, D)`, exactly 0 at padding.
        mask: bool tensor `(B, L)`, True at real tokens.

    Returns: tensor p `(B, L + w - 1, U)`.

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
        kernel_initializer: Any = self.initializer
        if self.initializer == "authors":
            kernel_initializer = ConvolutionUniform(self.channels)
        self.convolution = keras.layers.Conv1D(
            self.filters,
            self.width,
            activation="tanh",
            kernel_initializer=kernel_initializer,
            kernel_regularizer=keras.regularizers.L2(self.l2) if self.l2 else None,
            dtype=self.dtype_policy,
            name="convolution",
        )
        self.convolution.build((None, None, input_shape[-1]))

    def call(self, x: Tensor, mask: Tensor):
        margin = self.width - 1
        # (B, L + 2 (w - 1), D)
        padded = ops.pad(x, [[0, 0], [margin, margin], [0, 0]])
        # (B, L + w - 1, U)
        columns = self.convolution(padded)
        return ops.where(mask_columns(mask, self.width)[..., None], columns, 0.0)


@keras.saving.register_keras_serializable(package="dsa")
class AttentionFeatureMap(keras.layers.Layer):
    """Attention feature maps of ABCNN-1 for both sentences.

        F_0 = A W_a,  F_1 = A^T W_a

    The features of a token are the sum of the rows of W_a, weighted by the match scores
    between the token and the tokens of the other sentence. Row j of W_a belongs to
    position j of the other sentence. Both sentences share W_a. The match scores of
    padding are 0, so the features of padding are 0 and padding does not affect other
    tokens.

    Args:
        max_tokens: number of rows of W_a, the largest sentence length in tokens.
        features: number D of features.
        l2: coefficient of the weight decay, which adds `l2 * sum(W_a^2)` to the loss.

    Call arguments:
        scores: tensor of match scores A `(B, P, Q)`, see `match_scores`.

    Returns: tuple of F_0 `(B, P, D)` and F_1 `(B, Q, D)`.

    Reference: Yin et al. 2016, section 4, "ABCNN-1"; footnote 1 for W_0 = W_1.

    Differs from the authors' code, which adds padding on both sides of a sentence. In
    their code, the position of a word depends on the sentence length, and W_a includes
    rows for padding.
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
        A = ops.cast(scores, self.compute_dtype)
        # (P, D) and (Q, D)
        first_rows = self._select_rows(tensor_shape(scores)[1])
        second_rows = self._select_rows(tensor_shape(scores)[2])
        # (B, P, D)
        F_0 = ops.matmul(A, second_rows)
        # (B, Q, D)
        F_1 = ops.matmul(ops.transpose(A, (0, 2, 1)), first_rows)
        return F_0, F_1

    def _select_rows(self, length: Any) -> Tensor:
        """Returns the row of W_a for each position of a padded sentence, `(length, D)`.

        Positions after the last row are padding. They get the last row, which the
        caller multiplies by match scores of 0.
        """
        positions = ops.minimum(ops.arange(length), self.max_tokens - 1)
        return ops.take(self.map, positions, axis=0)

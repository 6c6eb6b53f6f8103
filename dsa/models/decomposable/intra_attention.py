"""Attention of a sentence to itself, with a bias for each distance."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer

LARGEST = 10  # words of distance with a bias of their own


@keras.saving.register_keras_serializable(package="dsa")
class IntraAttention(MaskedLayer):
    """Each token beside the tokens of its sentence that it resembles.

        f_ij = F(a_i) . F(a_j);  a'_i = sum_j softmax_j(f_ij + d_(i-j)) a_j
        a-_i = [a_i; a'_i]

    d has a number for each distance from -10 to 10, and one for farther words on each
    side; the paper says only that all distances above 10 share one. Padding gets weight
    0.

    Call arguments:
        x: a, tensor `(B, L, D)`.
        keys: F(a), tensor `(B, L, K)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return the weights as well.

    Returns: a-, tensor `(B, L, 2 D)`; with `return_attention` a pair of it and a list
        of one `TokenMap`, `intra_attention` `(B, L, L)`, float32.

    Reference: Parikh et al. 2016, section 3.4.

    Example:
        >>> x = ops.ones((2, 5, 4))
        >>> tuple(IntraAttention()(x, x).shape)
        (2, 5, 8)
    """

    def build(self, x_shape, keys_shape=None):
        self.distances = self.add_weight(
            shape=(2 * LARGEST + 3,), initializer="zeros", name="distances"
        )
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(self, x, keys, mask=None, return_attention=False):
        positions = ops.arange(ops.shape(x)[1], dtype="int32")
        # (L, L): i - j, and a number from 0 for it
        distances = positions[:, None] - positions[None, :]
        numbers = ops.clip(distances, -LARGEST - 1, LARGEST + 1) + LARGEST + 1
        # (B, L, L)
        scores = ops.matmul(keys, ops.transpose(keys, (0, 2, 1)))
        scores = scores + ops.cast(ops.take(self.distances, numbers), scores.dtype)
        visible = None if mask is None else mask[:, None, :]
        weights = self.softmax(scores, mask=visible)
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(mask[:, :, None], x, 0)
        # (B, L, D): a'
        seen = ops.matmul(ops.cast(weights, x.dtype), x)
        output = ops.concatenate([x, seen], axis=-1)
        if not return_attention:
            return output
        kind = MapKind.TOKEN_OVER_TOKEN
        return output, [TokenMap("intra_attention", kind, weights)]

    def compute_output_shape(self, x_shape, keys_shape=None):
        return (*x_shape[:-1], 2 * x_shape[-1])

"""Intra-sentence attention of the decomposable attention model."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape

MAX_DISTANCE = 10  # in tokens; all larger distances in a direction share one bias


@keras.saving.register_keras_serializable(package="dsa")
class IntraAttention(MaskedLayer):
    """Intra-sentence attention: concatenates each token with its attended context.

        f_ij = F(a_i) . F(a_j);  a'_i = sum_j softmax_j(f_ij + d_(i-j)) a_j
        a-_i = [a_i; a'_i]

    d contains a bias for each distance from -10 to 10, a bias for all distances below
    -10, and a bias for all distances above 10. The paper only specifies that distances
    above 10 share a bias. Padding has weight 0.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: a, tensor `(B, L, D)`.
        keys: F(a), tensor `(B, L, K)`.

    Returns: a-, tensor `(B, L, 2 D)`. With `return_attention=True`, also a list with
        the `TokenMap` `intra_attention`, float32 `(B, L, L)`.

    Reference: Parikh et al. 2016, section 3.4.

    Example:
        >>> x = ops.ones((2, 5, 4))
        >>> tuple(IntraAttention()(x, x).shape)
        (2, 5, 8)
    """

    def build(self, x_shape, keys_shape=None):  # pyright: ignore[reportIncompatibleMethodOverride]
        self.distances = self.add_weight(
            shape=(2 * MAX_DISTANCE + 3,), initializer="zeros", name="distances"
        )
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(
        self, x: Tensor, keys: Tensor, mask: Mask = None, return_attention: bool = False
    ):
        positions = ops.arange(tensor_shape(x)[1], dtype="int32")
        # (L, L): i - j, and its index in d
        distances = positions[:, None] - positions[None, :]
        limit = MAX_DISTANCE + 1
        indices = ops.clip(distances, -limit, limit) + limit
        # (B, L, L): f_ij + d_(i-j)
        scores = ops.matmul(keys, ops.transpose(keys, (0, 2, 1)))
        scores = scores + ops.cast(ops.take(self.distances, indices), scores.dtype)
        key_mask = None if mask is None else mask[:, None, :]
        # (B, L, L): attention weights of each token over all tokens
        weights = self.softmax(scores, mask=key_mask)
        x = clear_padding(x, mask)
        # (B, L, D): a'
        attended = ops.matmul(ops.cast(weights, x.dtype), x)
        # (B, L, 2 D): a-
        output = ops.concatenate([x, attended], axis=-1)
        if not return_attention:
            return output
        kind = MapKind.TOKEN_OVER_TOKEN
        return output, [TokenMap("intra_attention", kind, weights)]

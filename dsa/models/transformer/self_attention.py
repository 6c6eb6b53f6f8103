"""Multi-head self-attention over all tokens."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer
from dsa.models.transformer.positions import clipped_distances


@keras.saving.register_keras_serializable(package="dsa")
class FullSelfAttention(MaskedLayer):
    """Each token looks at all tokens, itself included.

        A = softmax(Q K^T / sqrt(K)) per head;  H = concat(A V) W^O + b^O

    With relative positions there are a vector for each distance in the scores and one
    in the contexts, which all heads share:

        e_ij = q_i (k_j + a^K_ij) / sqrt(K);  z_i = sum_j A_ij (v_j + a^V_ij)

    Args:
        units: features D of the output, split evenly over the heads.
        heads: number of heads.
        max_distance: k, the largest distance with vectors of its own; `None` for no
            relative positions.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return A as well.

    Returns: tensor `(B, L, units)`; with `return_attention` a pair of it and a list of
        one `TokenMap`, `attention` `(B, heads, L, L)`: A, float32.

    Reference: Vaswani et al. 2017, section 3.2; Shaw et al. 2018, section 3.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> context, (attention,) = FullSelfAttention(6, 2)(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 6), (2, 2, 5, 5))
    """

    def __init__(self, units, heads, max_distance=None, **kwargs):
        super().__init__(**kwargs)
        if units % heads:
            raise ValueError(
                "`units` must be divisible by `heads`. "
                f"Received: units={units}, heads={heads}"
            )
        self.units = units
        self.heads = heads
        self.max_distance = max_distance

    def build(self, input_shape):
        def projection(name, shape):
            layer = keras.layers.Dense(self.units, dtype=self.dtype_policy, name=name)
            layer.build(shape)
            return layer

        self.query = projection("query", input_shape)
        self.key = projection("key", input_shape)
        self.value = projection("value", input_shape)
        self.output_projection = projection(
            "output_projection", (*input_shape[:-1], self.units)
        )
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")
        self.key_distances = self.value_distances = None
        if self.max_distance is not None:
            shape = (2 * self.max_distance + 1, self.units // self.heads)
            self.key_distances = self.add_weight(shape=shape, name="key_distances")
            self.value_distances = self.add_weight(shape=shape, name="value_distances")

    def call(self, x, mask=None, return_attention=False):
        length = ops.shape(x)[1]
        size = self.units // self.heads

        def split(projected):  # (B, L, D) -> (B, L, H, K)
            return ops.reshape(projected, (-1, length, self.heads, size))

        # each (B, L, H, K)
        query, key, value = (
            split(project(x)) for project in (self.query, self.key, self.value)
        )
        # (B, H, L, L): how well each token's query fits each token's key
        scores = ops.einsum("bqhk,bvhk->bhqv", query, key)
        if self.max_distance is not None:
            distances = clipped_distances(length, self.max_distance)
            # (L, L, K): a^K
            vectors = ops.take(self.key_distances, distances, axis=0)
            scores = scores + ops.einsum("bqhk,qvk->bhqv", query, vectors)
        scores = ops.cast(scores, "float32") / size**0.5
        # (B, H, L, L): A, each row one token's weights
        visible = None if mask is None else mask[:, None, None, :]
        attention = self.softmax(scores, mask=visible)

        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            value = ops.where(mask[:, :, None, None], value, 0)
        weights = ops.cast(attention, value.dtype)
        # (B, L, H, K), then joined to (B, L, units)
        context = ops.einsum("bhqv,bvhk->bqhk", weights, value)
        if self.max_distance is not None:
            vectors = ops.take(self.value_distances, distances, axis=0)
            context = context + ops.einsum("bhqv,qvk->bqhk", weights, vectors)
        output = self.output_projection(ops.reshape(context, (-1, length, self.units)))
        if not return_attention:
            return output
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return output, [TokenMap("attention", kind, attention)]

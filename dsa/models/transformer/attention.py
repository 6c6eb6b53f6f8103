"""Multi-head self-attention and position embeddings of the Transformer.

B sentences, L tokens, D input features, d = units / heads features per head, m the
distance at which offsets are clipped.
"""

import math
from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice, check_units_per_head
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding, tensor_shape
from dsa.layers.multi_head import join_heads, split_heads


def interleaved_sinusoidal_positions(length: Any, units: int) -> Tensor:
    """Returns the sinusoidal position encoding, with sines at even features and cosines
    at odd features.

        PE_(p, 2i) = sin(p / 10000^(2i / D)),  PE_(p, 2i+1) = cos(p / 10000^(2i / D))

    p is the position of a token, and i is the index of a pair of features.

    Args:
        length: number L of tokens.
        units: number D of features.

    Returns: float32 tensor PE `(L, D)`.

    Reference: Vaswani et al. 2017, section 3.5.

    Example:
        >>> tuple(interleaved_sinusoidal_positions(5, 8).shape)
        (5, 8)
    """
    features = ops.arange(units, dtype="int32")
    # (D,): 2i, then 1 / 10000^(2i / D)
    even_features = ops.cast(features - features % 2, "float32")
    rates = ops.exp(-even_features * (math.log(10_000) / units))
    # (L, D)
    angles = ops.arange(length, dtype="float32")[:, None] * rates
    return ops.where(features % 2 == 0, ops.sin(angles), ops.cos(angles))


@keras.saving.register_keras_serializable(package="dsa")
class AddPositions(keras.layers.Layer):
    """Adds a position embedding p_i to each token: `x_i + p_i`.

    Args:
        embedding_type: "learned", or "sinusoidal" for
            `interleaved_sinusoidal_positions`.
        max_position: number of learned position embeddings; later positions use the
            last one. Ignored for "sinusoidal".

    Call arguments:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, L, D)`.

    Reference: Vaswani et al. 2017, section 3.5.

    Example:
        >>> tuple(AddPositions("learned", 4)(ops.ones((2, 5, 8))).shape)
        (2, 5, 8)
    """

    def __init__(self, embedding_type: str, max_position: int = 512, **kwargs: Any):
        super().__init__(**kwargs)
        check_choice("embedding_type", embedding_type, ("learned", "sinusoidal"))
        self.embedding_type = embedding_type
        self.max_position = max_position

    def build(self, input_shape):
        self.vectors = None
        if self.embedding_type == "learned":
            self.vectors = self.add_weight(
                shape=(self.max_position, input_shape[-1]),
                initializer=keras.initializers.RandomNormal(stddev=0.02),
                name="vectors",
            )

    def call(self, x: Tensor):
        length = tensor_shape(x)[1]
        if self.vectors is None:
            encoding = interleaved_sinusoidal_positions(length, units=x.shape[-1])
            return x + ops.cast(encoding, x.dtype)
        # (L,)
        positions = ops.arange(length, dtype="int32")
        positions = ops.minimum(positions, self.max_position - 1)
        return x + ops.take(self.vectors, positions, axis=0)


def index_relative_positions(length: Any, max_distance: int) -> Tensor:
    """Returns the index of the clipped offset j - i of each pair of tokens.

        index_ij = clip(j - i, -m, m) + m

    Args:
        length: number L of tokens.
        max_distance: maximum offset m; larger offsets are clipped.

    Returns: int tensor `(L, L)` with values from 0 to 2 m.

    Reference: Shaw et al. 2018, section 3.2. The paper writes k for m.

    Example:
        >>> ops.convert_to_numpy(index_relative_positions(3, max_distance=1)).tolist()
        [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
    """
    positions = ops.arange(length, dtype="int32")
    offsets = positions[None, :] - positions[:, None]
    return ops.clip(offsets, -max_distance, max_distance) + max_distance


@keras.saving.register_keras_serializable(package="dsa")
class FullSelfAttention(MaskedLayer):
    """Multi-head self-attention, optionally with relative position embeddings.

        A = softmax(Q K^T / sqrt(d))                     per head
        H = concat(A V) W^O + b^O

    d = units / heads is the number of features per head. Relative positions add a
    learned embedding of the clipped offset j - i to the keys, and another one to the
    values. All heads share these embeddings.

        e_ij = Q_i (K_j + a^K_ij) / sqrt(d)
        A_ij = softmax_j(e_ij)
        z_i = sum_j A_ij (V_j + a^V_ij)

    Padding tokens have weight 0 as keys. The outputs at padding tokens are not masked.

    Args:
        units: integer, number of output features, split evenly over the heads.
        heads: number of attention heads.
        max_distance: maximum offset m; larger offsets are clipped. `None` disables
            relative positions.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor H `(B, L, units)`. With `return_attention=True`, also a list with
        the `TokenMap` `attention`: A, float32 `(B, heads, L, L)`.

    Raises: `ValueError` if `units` is not divisible by `heads`.

    Reference: Vaswani et al. 2017, section 3.2; Shaw et al. 2018, section 3.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> context, (attention,) = FullSelfAttention(6, 2)(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 6), (2, 2, 5, 5))
    """

    def __init__(
        self, units: int, heads: int, max_distance: int | None = None, **kwargs: Any
    ):
        super().__init__(**kwargs)
        check_units_per_head(units, heads)
        self.units = units
        self.heads = heads
        self.max_distance = max_distance

    def build(self, input_shape):
        self.query = keras.layers.Dense(
            self.units, dtype=self.dtype_policy, name="query"
        )
        self.query.build(input_shape)
        self.key = keras.layers.Dense(self.units, dtype=self.dtype_policy, name="key")
        self.key.build(input_shape)
        self.value = keras.layers.Dense(
            self.units, dtype=self.dtype_policy, name="value"
        )
        self.value.build(input_shape)
        self.output_projection = keras.layers.Dense(
            self.units, dtype=self.dtype_policy, name="output_projection"
        )
        self.output_projection.build((*input_shape[:-1], self.units))
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")
        if self.max_distance is not None:
            # (2 m + 1, d): a^K and a^V for each offset
            shape = (2 * self.max_distance + 1, self.units // self.heads)
            self.key_offset_embedding = self.add_weight(
                shape=shape, name="key_distances"
            )
            self.value_offset_embedding = self.add_weight(
                shape=shape, name="value_distances"
            )

    def call(self, x: Tensor, mask: Mask = None, return_attention: bool = False):
        # each (B, L, heads, d)
        Q = split_heads(self.query(x), self.heads)
        K = split_heads(self.key(x), self.heads)
        V = clear_padding(split_heads(self.value(x), self.heads), mask)
        # (B, heads, L, L): similarity of each query to each key
        scores = ops.einsum("bqhd,bkhd->bhqk", Q, K)
        if self.max_distance is not None:
            # (L, L)
            indices = index_relative_positions(tensor_shape(x)[1], self.max_distance)
            # (L, L, d): a^K
            key_vectors = ops.take(self.key_offset_embedding, indices, axis=0)
            scores = scores + ops.einsum("bqhd,qkd->bhqk", Q, key_vectors)
        scores = ops.cast(scores, "float32") / (self.units // self.heads) ** 0.5
        # (B, heads, L, L): attention weights
        key_mask = None if mask is None else mask[:, None, None, :]
        A = self.softmax(scores, mask=key_mask)
        weights = ops.cast(A, V.dtype)
        # (B, L, heads, d): z
        context = ops.einsum("bhqk,bkhd->bqhd", weights, V)
        if self.max_distance is not None:
            # (L, L, d): a^V
            indices = index_relative_positions(tensor_shape(x)[1], self.max_distance)
            value_vectors = ops.take(self.value_offset_embedding, indices, axis=0)
            context = context + ops.einsum("bhqk,qkd->bqhd", weights, value_vectors)
        # (B, L, units)
        H = self.output_projection(join_heads(context))
        if not return_attention:
            return H
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return H, [TokenMap("attention", kind, A)]

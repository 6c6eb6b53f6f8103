"""DSA's self-attention with a directional and a distance mask, in two forms."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import (
    DIRECTIONS,
    Mask,
    MaskedLayer,
    Tensor,
    clear_padding,
    directional_mask,
    distance_mask,
    tensor_shape,
)
from dsa.layers.multi_head import check_units_per_head, join_heads, split_heads
from dsa.layers.normalized_dense import NormalizedDense

SCALE = 5.0  # c, DiSAN's


class DirectedAttention(MaskedLayer):
    """What both forms share: the maps Q, K, V and W^O, the masks, and the dropout.

    Padding is no key: it gets weight 0. A token with nothing to look at (the first one
    forward, the last one backward) gets the context `A V` = 0.

    Args:
        units: features D of the output.
        direction: "forward" (sees the tokens before) or "backward" (those after).
        alpha: weight of the distance mask, per token of distance; 0 leaves it out.
        dropout: dropped share of H.
        layer_norm: `False` leaves out all four LN.
        directional: `False` leaves out M_dir: a token sees all tokens but itself.

    Raises: `ValueError` for a negative `alpha` or an unknown direction.
    """

    def __init__(
        self,
        units: int,
        direction: str,
        alpha: float = 1.5,
        dropout: float = 0.0,
        layer_norm: bool = True,
        directional: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if alpha < 0:
            raise ValueError(f"`alpha` must not be negative. Received: alpha={alpha}")
        check_choice("direction", direction, DIRECTIONS)
        self.units = units
        self.direction = direction
        self.alpha = alpha
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.directional = directional
        self.seed = seed

    def build(self, input_shape):
        def projection(name, shape=input_shape):
            options = {"use_bias": False, "layer_norm": self.layer_norm}
            return self.build_part(NormalizedDense, name, shape, self.units, **options)

        self.query = projection("query")
        self.key = projection("key")
        self.value = projection("value")
        self.output_projection = projection(
            "output_projection", (*input_shape[:-1], self.units)
        )
        self.drop = self.make_dropout("context")

    def find_visible(self, length, mask: Mask) -> Tensor:
        """M_dir and padding: bool `(B or 1, L, L)`, True where a token may look."""
        looks_at = self.direction if self.directional else "others"
        visible = directional_mask(length, looks_at)[None]
        if mask is None:
            return visible
        return ops.logical_and(visible, mask[:, None, :])


@keras.saving.register_keras_serializable(package="dsa")
class DistanceMaskedSelfAttention(DirectedAttention):
    """Each token looks at the tokens on one side of it, at near ones more.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)       split into heads
        A = softmax(Q K^T / sqrt(K) + M_dir + alpha M_dis)    per head
        H = Dropout(LN(concat(A V) W^O))

    Args:
        units: features D of the output, split evenly over the heads.
        heads: number of heads.
        others: as `DirectedAttention`.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D_in)`.

    Returns: H, tensor `(B, L, units)`. `TokenMap`: `attention` `(B, heads, L, L)`: A,
        float32.

    Raises: `ValueError` if `heads` does not divide `units`, and as `DirectedAttention`.

    Reference: Im & Cho 2017, section 4.2.2, equations 7 and 8.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> layer = DistanceMaskedSelfAttention(6, heads=2, direction="forward")
        >>> context, (attention,) = layer(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 6), (2, 2, 5, 5))
    """

    def __init__(
        self, units: int, heads: int, direction: str, alpha: float = 1.5, **kwargs: Any
    ):
        super().__init__(units, direction, alpha, **kwargs)
        check_units_per_head(units, heads)
        self.heads = heads

    def build(self, input_shape):
        super().build(input_shape)
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        length, size = tensor_shape(x)[1], self.units // self.heads
        # each (B, L, H, K)
        Q, K, V = (
            split_heads(project(x), self.heads)
            for project in (self.query, self.key, self.value)
        )
        # (B, H, L, L): how well each token's query fits each token's key. In float32
        # up to the softmax: -alpha |i - j| is large
        logits = ops.cast(ops.einsum("bqhk,bvhk->bhqv", Q, K), "float32") / size**0.5
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)
        # (B, H, L, L): A, each row one token's weights
        A = self.softmax(logits, mask=self.find_visible(length, mask)[:, None])
        # (B, L, units): A V, then H
        context = join_heads(ops.einsum("bhqv,bvhk->bqhk", ops.cast(A, V.dtype), V))
        H = self.drop(self.output_projection(context), training=training)
        if not return_attention:
            return H
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return H, [TokenMap("attention", kind, A, self.direction)]


@keras.saving.register_keras_serializable(package="dsa")
class MultiDimensionalSelfAttention(DirectedAttention):
    """As `DistanceMaskedSelfAttention`, but weights are for features, not for heads.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)
        A_ij = softmax_j(c tanh((Q_i + K_j + b) / c) + M_dir_ij + alpha M_dis_ij)
        H_i = Dropout(LN((sum_j A_ij * V_j) W^O))

    A_ij is a vector, and `*` works feature by feature. It needs several tensors
    `(B, L, L, D)`: that much memory.

    Args: as `DirectedAttention`.

    Call arguments: as `DistanceMaskedSelfAttention`.

    Returns: H, tensor `(B, L, units)`. `TokenMap`: `feature_attention`
        `(B, L, L, units)`: A, float32.

    Reference: Im & Cho 2017, the footnote to section 4.2.2, which gives no equation;
    Shen et al. 2018, equation 15, with DSA's projections and masks.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> layer = MultiDimensionalSelfAttention(6, direction="forward")
        >>> context, (attention,) = layer(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 6), (2, 5, 5, 6))
    """

    def build(self, input_shape):
        super().build(input_shape)
        self.bias = self.add_weight(
            shape=(self.units,), initializer="zeros", name="bias"
        )
        self.softmax = keras.layers.Softmax(axis=2, dtype="float32")

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        length = tensor_shape(x)[1]
        # each (B, L, D)
        Q, K, V = self.query(x), self.key(x), self.value(x)
        K, V = clear_padding(K, mask), clear_padding(V, mask)
        # (B, L, L, D), in float32 up to the softmax: -alpha |i - j| is large
        logits = ops.cast(Q[:, :, None] + K[:, None] + self.bias, "float32")
        logits = SCALE * ops.tanh(logits / SCALE)
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)[..., None]
        visible = self.find_visible(length, mask)[..., None]
        # (B, L, L, D): A
        A = self.softmax(logits, mask=ops.broadcast_to(visible, tensor_shape(logits)))
        # (B, L, D): the context, then H
        context = ops.sum(ops.cast(A, V.dtype) * V[:, None], axis=2)
        H = self.drop(self.output_projection(context), training=training)
        if not return_attention:
            return H
        kind = MapKind.TOKEN_OVER_TOKEN_BY_FEATURE
        return H, [
            TokenMap("feature_attention", kind, A, self.direction, label="attention")
        ]

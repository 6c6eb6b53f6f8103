"""Multi-head self-attention with a directional and a distance mask."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import DIRECTIONS, MaskedLayer, directional_mask, distance_mask
from dsa.layers.normalized_dense import NormalizedDense
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class DistanceMaskedSelfAttention(MaskedLayer):
    """Each token looks at the tokens on one side of it, at near ones more.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)       split into heads
        A = softmax(Q K^T / sqrt(K) + M_dir + alpha M_dis)    per head
        H = Dropout(LN(concat(A V) W^O))

    Padding is no key: it gets weight 0. A token with nothing to look at (the first one
    forward, the last one backward) gets the context `A V` = 0.

    Args:
        units: features D of the output, split evenly over the heads.
        heads: number of heads.
        direction: "forward" (sees the tokens before) or "backward" (those after).
        alpha: weight of the distance mask, per token of distance; 0 leaves it out.
        dropout: dropped share of H.
        layer_norm: `False` leaves out all four LN.
        seed: seed of the dropout; `None` for an unseeded one.

    Call arguments:
        x: tensor `(B, L, D_in)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return A as well.

    Returns: tensor `(B, L, units)`; with `return_attention` a pair of it and a list of
        one `TokenMap`, `attention` `(B, heads, L, L)`: A, float32.

    Raises: `ValueError` if `heads` does not divide `units`, for a negative `alpha` or
        an unknown direction.

    Reference: Im & Cho 2017, section 4.2.2, equations 7 and 8.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> layer = DistanceMaskedSelfAttention(6, heads=2, direction="forward")
        >>> context, (attention,) = layer(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 6), (2, 2, 5, 5))
    """

    def __init__(
        self,
        units,
        heads,
        direction,
        alpha=1.5,
        dropout=0.0,
        layer_norm=True,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if units % heads:
            raise ValueError(
                "`units` must be divisible by `heads`. "
                f"Received: units={units}, heads={heads}"
            )
        if alpha < 0:
            raise ValueError(f"`alpha` must not be negative. Received: alpha={alpha}")
        if direction not in DIRECTIONS:
            raise ValueError(
                f"`direction` must be one of {DIRECTIONS}. Received: {direction!r}"
            )
        self.units = units
        self.heads = heads
        self.direction = direction
        self.alpha = alpha
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.seed = seed

    def build(self, input_shape):
        def projection(name, shape=input_shape):
            layer = NormalizedDense(
                self.units,
                use_bias=False,
                layer_norm=self.layer_norm,
                dtype=self.dtype_policy,
                name=name,
            )
            layer.build(shape)
            return layer

        self.query = projection("query")
        self.key = projection("key")
        self.value = projection("value")
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")
        self.output_projection = projection(
            "output_projection", (*input_shape[:-1], self.units)
        )
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "context"),
            dtype=self.dtype_policy,
        )

    def call(self, x, mask=None, training=None, return_attention=False):
        length = ops.shape(x)[1]
        size = self.units // self.heads

        def split(projected):  # (B, L, D) -> (B, L, H, K)
            return ops.reshape(projected, (-1, length, self.heads, size))

        # each (B, L, H, K)
        query, key, value = (
            split(project(x)) for project in (self.query, self.key, self.value)
        )
        # (B, H, L, L): how well each token's query fits each token's key. In float32
        # up to the softmax: -alpha |i - j| is large
        logits = ops.cast(ops.einsum("bqhk,bvhk->bhqv", query, key), "float32")
        logits = logits / size**0.5
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)
        # (1, 1, L, L), with padding (B, 1, L, L): True where a token may look
        visible = directional_mask(length, self.direction)[None, None]
        if mask is not None:
            visible = ops.logical_and(visible, mask[:, None, None, :])
        # (B, H, L, L): A, each row one token's weights
        attention = self.softmax(logits, mask=visible)

        # (B, L, H, K), then joined to (B, L, units): A V
        context = ops.einsum("bhqv,bvhk->bqhk", ops.cast(attention, value.dtype), value)
        context = ops.reshape(context, (-1, length, self.units))
        # (B, L, units): H
        output = self.drop(self.output_projection(context), training=training)
        if not return_attention:
            return output
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return output, [TokenMap("attention", kind, attention, self.direction)]

"""DSA's multi-head and multi-dimensional self-attention, with directional and distance
masks."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice, check_units_per_head
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
from dsa.layers.multi_head import join_heads, split_heads
from dsa.layers.normalized_dense import NormalizedDense
from dsa.seeds import derived_seed

SCALE = 5.0  # c of the multi-dimensional attention, as in DiSAN


class DirectedAttention(MaskedLayer):
    """Base class of DSA's attention layers: projections, masks and dropout.

    Padding is masked as a key, so its weight is 0. For a token whose keys are all
    masked (the first token forward, the last token backward), the context `A V` is 0.

    Args:
        units: features D of the output.
        direction: "forward" (attends to preceding tokens) or "backward" (attends to
            following tokens).
        alpha: weight of the distance mask, per token of distance; 0 disables the mask.
        dropout: dropout rate of H.
        layer_norm: whether to apply the layer normalizations LN of the projections.
        directional: whether to apply M_dir. If `False`, a token attends to all tokens
            except itself.
        seed: integer from which the seed of the dropout is derived; `None` for an
            unseeded dropout.

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
        self.query = NormalizedDense(
            self.units,
            use_bias=False,
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="query",
        )
        self.query.build(input_shape)
        self.key = NormalizedDense(
            self.units,
            use_bias=False,
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="key",
        )
        self.key.build(input_shape)
        self.value = NormalizedDense(
            self.units,
            use_bias=False,
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="value",
        )
        self.value.build(input_shape)
        self.output_projection = NormalizedDense(
            self.units,
            use_bias=False,
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="output_projection",
        )
        self.output_projection.build((*input_shape[:-1], self.units))
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "context"),
            dtype=self.dtype_policy,
        )

    def attention_mask(self, length, mask: Mask) -> Tensor:
        """Returns M_dir combined with the padding mask.

        Args:
            length: L.
            mask: bool tensor `(B, L)`, True = real token, or `None`.

        Returns: bool tensor, `(B, L, L)` or `(1, L, L)`, True if the query token may
            attend to the key token.
        """
        direction = self.direction if self.directional else "others"
        # (1, L, L)
        attention_mask = directional_mask(length, direction)[None]
        if mask is None:
            return attention_mask
        return ops.logical_and(attention_mask, mask[:, None, :])


@keras.saving.register_keras_serializable(package="dsa")
class DistanceMaskedSelfAttention(DirectedAttention):
    """Multi-head self-attention in one direction, with a distance mask.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)       split into heads
        A = softmax(Q K^T / sqrt(K) + M_dir + alpha M_dis)    per head
        H = Dropout(LN(concat(A V) W^O))

    Padding: see `DirectedAttention`.

    Args:
        units: features D of the output, split evenly over the heads.
        heads: number of heads.
        direction, alpha, dropout, layer_norm, directional, seed: see
            `DirectedAttention`.

    Call arguments (in addition to those of `MaskedLayer`):
        x: tensor `(B, L, D_in)`.

    Returns: H, tensor `(B, L, units)`. `TokenMap`: `attention` `(B, heads, L, L)`, A,
        float32.

    Raises: `ValueError` if `units` is not divisible by `heads`, and the errors of
        `DirectedAttention`.

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
        length = tensor_shape(x)[1]
        units_per_head = self.units // self.heads
        # each (B, L, H, K)
        Q = split_heads(self.query(x), self.heads)
        K = split_heads(self.key(x), self.heads)
        V = split_heads(self.value(x), self.heads)
        # (B, H, L, L): similarity of each query to each key. The logits are float32
        # because alpha |i - j| exceeds the precision of float16
        logits = ops.cast(ops.einsum("bqhk,bvhk->bhqv", Q, K), "float32")
        logits = logits / units_per_head**0.5
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)
        # (B, 1, L, L)
        attention_mask = self.attention_mask(length, mask)[:, None]
        # (B, H, L, L): the weights of each query over the keys
        A = self.softmax(logits, mask=attention_mask)
        # (B, L, units): A V with joined heads
        context = join_heads(ops.einsum("bhqv,bvhk->bqhk", ops.cast(A, V.dtype), V))
        # (B, L, units)
        H = self.drop(self.output_projection(context), training=training)
        if not return_attention:
            return H
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return H, [TokenMap("attention", kind, A, self.direction)]


@keras.saving.register_keras_serializable(package="dsa")
class MultiDimensionalSelfAttention(DirectedAttention):
    """Multi-dimensional self-attention in one direction, with a distance mask.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)
        A_ij = softmax_j(c tanh((Q_i + K_j + b) / c) + M_dir_ij + alpha M_dis_ij)
        H_i = Dropout(LN((sum_j A_ij * V_j) W^O))

    A_ij is a vector of D weights, one per feature, and `*` is the elementwise product.
    The layer allocates several tensors `(B, L, L, D)`. Padding: see
    `DirectedAttention`.

    Args: see `DirectedAttention`.

    Call arguments: see `DistanceMaskedSelfAttention`.

    Returns: H, tensor `(B, L, units)`. `TokenMap`: `feature_attention`
        `(B, L, L, units)`, A, float32.

    Reference: Im & Cho 2017, section 4.2.2, footnote, without an equation. The equation
    is Shen et al. 2018, equation 15, with DSA's projections and masks.

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
        # (B, L, L, D), float32 because alpha |i - j| exceeds the precision of float16
        logits = ops.cast(Q[:, :, None] + K[:, None] + self.bias, "float32")
        logits = SCALE * ops.tanh(logits / SCALE)
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)[..., None]
        # (B, L, L, D)
        attention_mask = ops.broadcast_to(
            self.attention_mask(length, mask)[..., None], tensor_shape(logits)
        )
        # (B, L, L, D): the weights of each query over the keys, per feature
        A = self.softmax(logits, mask=attention_mask)
        # (B, L, D): sum_j A_ij * V_j
        context = ops.sum(ops.cast(A, V.dtype) * V[:, None], axis=2)
        # (B, L, D)
        H = self.drop(self.output_projection(context), training=training)
        if not return_attention:
            return H
        kind = MapKind.TOKEN_OVER_TOKEN_BY_FEATURE
        return H, [
            TokenMap("feature_attention", kind, A, self.direction, label="attention")
        ]

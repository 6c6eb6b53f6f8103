"""Multi-head and multi-dimensional self-attention of DSA, with directional and distance
masks.

B sentences, L tokens, D features of a token, d = D / heads features per head. As in the
paper, Q, K and V are the queries, keys and values, and H is the output.
"""

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

LOGIT_BOUND = 5.0  # c of the multi-dimensional attention, as in DiSAN


class DirectionalAttention(MaskedLayer):
    """Base class of DSA's attention layers: projections, masks and dropout.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)
        H = Dropout(LN((A V) W^O))

    LN is layer normalization. The subclasses compute the attention weights A. Two masks
    are added to the attention logits: M_dir_ij is 0 if token i may attend to token j,
    else minus infinity, and M_dis_ij = -|i - j|.

    Padding keys are masked, so their weights are 0. For a token whose keys are all
    masked (the first token forward, the last token backward), the context `A V` is 0.

    Args:
        units: integer, number D of output features.
        direction: "forward" (attends to preceding tokens) or "backward" (attends to
            following tokens).
        alpha: weight of the distance mask, per token of distance; 0 disables the mask.
        dropout: dropout rate of the output H.
        layer_norm: whether to apply layer normalization after each projection.
        directional: whether to apply M_dir. If `False`, a token attends to all tokens
            except itself.
        seed: integer from which the seed of the dropout is derived; `None` for an
            unseeded dropout.

    Raises: `ValueError` if `alpha` is negative or `direction` is unknown.
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
        self.query = self._make_projection("query")
        self.query.build(input_shape)
        self.key = self._make_projection("key")
        self.key.build(input_shape)
        self.value = self._make_projection("value")
        self.value.build(input_shape)
        self.output_projection = self._make_projection("output_projection")
        self.output_projection.build((*input_shape[:-1], self.units))
        # `units` and `dropout` are checked by the sub-layers
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "context"),
            dtype=self.dtype_policy,
        )

    def _make_projection(self, name: str) -> NormalizedDense:
        """Returns a new linear layer without bias, with layer normalization."""
        return NormalizedDense(
            self.units,
            use_bias=False,
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name=name,
        )

    def compute_attention_mask(self, length: Any, mask: Mask) -> Tensor:
        """Combines M_dir with the padding mask.

        Args:
            length: number L of tokens.
            mask: bool tensor `(B, L)`, True = real token, or `None`.

        Returns: bool tensor `(B, L, L)`, or `(1, L, L)` if `mask` is `None`. True if
            the query token may attend to the key token.
        """
        direction = self.direction if self.directional else "others"
        # (1, L, L)
        attention_mask = directional_mask(length, direction)[None]
        if mask is None:
            return attention_mask
        return ops.logical_and(attention_mask, mask[:, None, :])


@keras.saving.register_keras_serializable(package="dsa")
class DistanceMaskedSelfAttention(DirectionalAttention):
    """Multi-head self-attention in one direction, with a distance mask.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)       split into heads
        A = softmax(Q K^T / sqrt(d) + M_dir + alpha M_dis)    per head
        H = Dropout(LN(concat(A V) W^O))

    d = units / heads is the number of features per head. For the masks and for padding,
    see `DirectionalAttention`.

    Args:
        units: integer, number D of output features, split evenly over the heads.
        heads: number of attention heads.
        direction, alpha, dropout, layer_norm, directional, seed: see
            `DirectionalAttention`.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D_in)`.

    Returns: tensor H `(B, L, units)`. With `return_attention=True`, also a list with
        the `TokenMap` `attention`: A, float32 `(B, heads, L, L)`.

    Raises: `ValueError` if `units` is not divisible by `heads`, `alpha` is negative or
        `direction` is unknown.

    Reference: Im & Cho 2017, section 4.2.2, equations 7 and 8.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> layer = DistanceMaskedSelfAttention(6, heads=2, direction="forward")
        >>> context, (attention,) = layer(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 6), (2, 2, 5, 5))
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int,
        heads: int,
        direction: str,
        alpha: float = 1.5,
        dropout: float = 0.0,
        layer_norm: bool = True,
        directional: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(
            units,
            direction,
            alpha=alpha,
            dropout=dropout,
            layer_norm=layer_norm,
            directional=directional,
            seed=seed,
            **kwargs,
        )
        check_units_per_head(units, heads)
        self.heads = heads

    def build(self, input_shape):
        super().build(input_shape)
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        length = tensor_shape(x)[1]
        head_dim = self.units // self.heads
        # each (B, L, heads, d)
        Q = split_heads(self.query(x), self.heads)
        K = split_heads(self.key(x), self.heads)
        V = clear_padding(split_heads(self.value(x), self.heads), mask)
        # (B, heads, L, L): similarity of each query to each key. The logits are float32
        # because alpha |i - j| exceeds the precision of float16
        logits = ops.cast(ops.einsum("bqhd,bkhd->bhqk", Q, K), "float32")
        logits = logits / head_dim**0.5
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)
        # (B, 1, L, L)
        attention_mask = self.compute_attention_mask(length, mask)[:, None]
        # (B, heads, L, L): attention weights
        A = self.softmax(logits, mask=attention_mask)
        # (B, L, units): A V with joined heads
        context = join_heads(ops.einsum("bhqk,bkhd->bqhd", ops.cast(A, V.dtype), V))
        # (B, L, units)
        H = self.drop(self.output_projection(context), training=training)
        if not return_attention:
            return H
        kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        return H, [TokenMap("attention", kind, A, self.direction)]


@keras.saving.register_keras_serializable(package="dsa")
class MultiDimensionalSelfAttention(DirectionalAttention):
    """Multi-dimensional self-attention in one direction, with a distance mask.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)
        A_ij = softmax_j(c tanh((Q_i + K_j + b) / c) + M_dir_ij + alpha M_dis_ij)
        H_i = Dropout(LN((sum_j A_ij * V_j) W^O))

    A_ij is a vector of D weights, one per feature, and `*` is the elementwise product.
    The layer allocates several tensors `(B, L, L, D)`. For the masks and for padding,
    see `DirectionalAttention`.

    Args: see `DirectionalAttention`.

    Call arguments: see `DistanceMaskedSelfAttention`.

    Returns: tensor H `(B, L, units)`. With `return_attention=True`, also a list with
        the `TokenMap` `feature_attention`: A, float32 `(B, L, L, units)`.

    Raises: see `DirectionalAttention`.

    Reference: Im & Cho 2017, section 4.2.2, footnote (no equation). Implements equation
    15 of Shen et al. 2018 with the projections and masks of DSA.

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

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        length = tensor_shape(x)[1]
        # each (B, L, D)
        Q = self.query(x)
        K = clear_padding(self.key(x), mask)
        V = clear_padding(self.value(x), mask)
        # (B, L, L, D), float32 because alpha |i - j| exceeds the precision of float16
        logits = ops.cast(Q[:, :, None] + K[:, None] + self.bias, "float32")
        logits = LOGIT_BOUND * ops.tanh(logits / LOGIT_BOUND)
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)[..., None]
        # (B, L, L, D)
        attention_mask = ops.broadcast_to(
            self.compute_attention_mask(length, mask)[..., None], tensor_shape(logits)
        )
        # (B, L, L, D): attention weights of each feature
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

"""Sentence encoder of the Distance-based Self-Attention Network."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap, call_layer, describe_maps, make_gate_map
from dsa.layers.choices import check_choice
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.layers.source2token import Source2Token, pool_tokens
from dsa.models.dsa.attention import (
    DistanceMaskedSelfAttention,
    MultiDimensionalSelfAttention,
)
from dsa.models.dsa.feed_forward import PositionWiseFeedForward
from dsa.models.dsa.fusion_gate import MIXED, FusionGate
from dsa.seeds import derived_seed

ATTENTIONS = ("multi_head", "multi_dimensional")
POOLINGS = ("both", "source2token", "max")


@keras.saving.register_keras_serializable(package="dsa")
class DirectionalSelfAttention(MaskedLayer):
    """One direction of DSA: masked self-attention, fusion gate, feed-forward block.

        H = DistanceMaskedSelfAttention(X)
        G = FusionGate(X, H)
        U = PositionWiseFeedForward(G)

    Args:
        units: features of the output, d_e in the paper.
        heads: number of heads of "multi_head" attention.
        direction: "forward" or "backward".
        hidden_units: features of the hidden layer of the feed-forward block.
        attention: "multi_head" (`DistanceMaskedSelfAttention`) or "multi_dimensional"
            (`MultiDimensionalSelfAttention`), which ignores `heads`.
        alpha: weight of the distance mask; 0 disables the mask.
        gate: "projected", "raw" or "normalized", see `FusionGate`.
        directions: whether to apply the directional mask M_dir. If `False`, a token
            attends to all tokens except itself.
        feed_forward: whether to apply the feed-forward block; without it, U = G.
        dropout: dropout rate of H, of the gate's logits and of the feed-forward block.
        layer_norm: whether to apply layer normalisation.
        seed: integer from which the seeds of the dropouts are derived; `None` for
            unseeded dropouts.

    Call arguments (in addition to those of `MaskedLayer`):
        x: X, tensor `(B, L, D_in)`.

    Returns: U, tensor `(B, L, units)`. `TokenMap`s: `attention` `(B, heads, L, L)` or
        `feature_attention` `(B, L, L, units)`; `gate` `(B, L, units)`; with a
        feed-forward block, `deactivated` `(B, L)`, the share of its hidden units that
        are 0; and `output` `(B, L, units)`, U.

    Raises: `ValueError` for an unknown `attention` or `gate`, and the errors of
        `DistanceMaskedSelfAttention`.

    Reference: Im & Cho 2017, figure 2, sections 4.2.2 to 4.2.4.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> layer = DirectionalSelfAttention(6, 2, "forward", hidden_units=24)
        >>> tuple(layer(x).shape)
        (2, 5, 6)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int,
        heads: int,
        direction: str,
        hidden_units: int,
        *,
        attention: str = "multi_head",
        alpha: float = 1.5,
        gate: str = "projected",
        directions: bool = True,
        feed_forward: bool = True,
        dropout: float = 0.0,
        layer_norm: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("attention", attention, ATTENTIONS)
        check_choice("gate", gate, MIXED)
        self.units = units
        self.heads = heads
        self.direction = direction
        self.hidden_units = hidden_units
        self.attention = attention
        self.alpha = alpha
        self.gate = gate
        self.directional = directions
        self.has_feed_forward = feed_forward
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.seed = seed

    def build(self, input_shape):
        context_shape = (*input_shape[:-1], self.units)
        if self.attention == "multi_head":
            self.self_attention = DistanceMaskedSelfAttention(
                self.units,
                self.heads,
                self.direction,
                alpha=self.alpha,
                directional=self.directional,
                dropout=self.dropout,
                layer_norm=self.layer_norm,
                seed=self.seed,
                dtype=self.dtype_policy,
                name="self_attention",
            )
        else:
            self.self_attention = MultiDimensionalSelfAttention(
                self.units,
                self.direction,
                alpha=self.alpha,
                directional=self.directional,
                dropout=self.dropout,
                layer_norm=self.layer_norm,
                seed=self.seed,
                dtype=self.dtype_policy,
                name="self_attention",
            )
        self.self_attention.build(input_shape)
        self.fusion_gate = FusionGate(
            self.units,
            dropout=self.dropout,
            layer_norm=self.layer_norm,
            mixes=self.gate,
            seed=self.seed,
            dtype=self.dtype_policy,
            name="fusion_gate",
        )
        self.fusion_gate.build(input_shape, context_shape)
        self.feed_forward = None
        if self.has_feed_forward:
            self.feed_forward = PositionWiseFeedForward(
                self.hidden_units,
                dropout=self.dropout,
                layer_norm=self.layer_norm,
                seed=self.seed,
                dtype=self.dtype_policy,
                name="feed_forward",
            )
            self.feed_forward.build(context_shape)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        # (B, L, units): the context of each token
        H = call_layer(self.self_attention, maps, x, mask=mask, training=training)
        # both (B, L, units): the gated sum, and the gate
        G, F = self.fusion_gate(x, H, training=training, return_gate=True)
        # (B, L, units), and (B, L, hidden_units)
        U, hidden = G, None
        if self.feed_forward is not None:
            U, hidden = self.feed_forward(G, training=training, return_hidden=True)
        if maps is None:
            return U
        return U, describe_maps(
            [*maps, make_gate_map(F), *_make_output_maps(U, hidden)],
            direction=self.direction,
        )


def _make_output_maps(U: Tensor, hidden: Tensor | None) -> list[TokenMap]:
    """Returns the `TokenMap`s of a block's output and of its inactive hidden units."""
    output = TokenMap(
        "output",
        MapKind.TOKEN_BY_FEATURE,
        U,
        summary="max",
        label="largest output feature",
    )
    if hidden is None:
        return [output]
    # (B, L)
    share = ops.mean(ops.cast(hidden <= 0, "float32"), axis=-1)
    deactivated = TokenMap(
        "deactivated",
        MapKind.TOKEN,
        share,
        label="deactivated units of the hidden layer",
    )
    return [deactivated, output]


@keras.saving.register_keras_serializable(package="dsa")
class DSAEncoder(MaskedLayer):
    """Sentence encoder of DSA: two directions with untied weights, pooled.

        U = [U_forward; U_backward]
        sentence = [Source2Token(U); max_i U_i]

    Args:
        units: features per direction, d_e in the paper.
        heads, attention, alpha, gate, directions, feed_forward, dropout, layer_norm:
            see `DirectionalSelfAttention`.
        hidden_units: see `DirectionalSelfAttention`; `None` for 4 x `units`.
        pooling: "both", "source2token" or "max".
        seed: integer from which the seeds of the dropouts are derived; `None` for
            unseeded dropouts.

    Call arguments (in addition to those of `MaskedLayer`):
        x: tensor `(B, L, D_in)`, word vectors.

    Returns: tensor `(B, S)`, S = 4 x `units` with pooling "both", else 2 x `units`.
        `TokenMap`s: the maps of each direction (see `DirectionalSelfAttention`);
        `source2token` `(B, L, 2 units)` and `max_pooling` `(B, 2 units)`, the token
        position of each feature's maximum, if `pooling` includes them.

    Raises: `ValueError` for an unknown `pooling`, and the errors of
        `DirectionalSelfAttention`.

    Reference: Im & Cho 2017, section 4.2, figure 2.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> encoder = DSAEncoder(units=6, heads=2)
        >>> tuple(encoder(x).shape)
        (2, 24)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int = 300,
        heads: int = 5,
        *,
        attention: str = "multi_head",
        alpha: float = 1.5,
        hidden_units: int | None = None,
        gate: str = "projected",
        directions: bool = True,
        feed_forward: bool = True,
        pooling: str = "both",
        dropout: float = 0.1,
        layer_norm: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("pooling", pooling, POOLINGS)
        self.units = units
        self.heads = heads
        self.attention = attention
        self.alpha = alpha
        self.hidden_units = hidden_units
        self.gate = gate
        self.directional = directions
        self.has_feed_forward = feed_forward
        self.pooling = pooling
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.seed = seed

    def build(self, input_shape):
        self.directions = []
        for direction in ("forward", "backward"):
            layer = DirectionalSelfAttention(
                self.units,
                self.heads,
                direction,
                hidden_units=self.hidden_units or 4 * self.units,
                attention=self.attention,
                alpha=self.alpha,
                gate=self.gate,
                directions=self.directional,
                feed_forward=self.has_feed_forward,
                dropout=self.dropout,
                layer_norm=self.layer_norm,
                seed=derived_seed(self.seed, direction),
                dtype=self.dtype_policy,
                name=direction,
            )
            layer.build(input_shape)
            self.directions.append(layer)
        self.source2token = None
        if self.pooling != "max":
            self.source2token = Source2Token(
                layer_norm=self.layer_norm,
                dtype=self.dtype_policy,
                name="source2token",
            )
            self.source2token.build((*input_shape[:-1], 2 * self.units))

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        forward, backward = self.directions
        # both (B, L, units)
        U_forward = call_layer(forward, maps, x, mask=mask, training=training)
        U_backward = call_layer(backward, maps, x, mask=mask, training=training)
        # (B, L, 2 units)
        U = ops.concatenate([U_forward, U_backward], axis=-1)
        # (B, S)
        sentence = pool_tokens(
            U,
            mask,
            source2token=self.source2token,
            maximum=self.pooling != "source2token",
            maps=maps,
        )
        return (sentence, maps) if return_attention else sentence

    def compute_output_shape(self, input_shape):
        vectors = 2 if self.pooling == "both" else 1
        return (input_shape[0], vectors * 2 * self.units)

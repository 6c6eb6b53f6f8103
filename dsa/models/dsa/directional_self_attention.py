"""Directional self-attention block of the Distance-based Self-Attention Network."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.attention_maps import call_layer, make_gate_map, replace_map_fields
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.models.dsa.attention import (
    DistanceMaskedSelfAttention,
    MultiDimensionalSelfAttention,
)
from dsa.models.dsa.feed_forward import PositionWiseFeedForward
from dsa.models.dsa.fusion_gate import GATES, FusionGate

ATTENTIONS = ("multi_head", "multi_dimensional")


@keras.saving.register_keras_serializable(package="dsa")
class DirectionalSelfAttention(MaskedLayer):
    """Masked self-attention in one direction, fusion gate and feed-forward block.

        H = DistanceMaskedSelfAttention(X)
        G = FusionGate(X, H)
        U = PositionWiseFeedForward(G)

    Args:
        units: integer, number of output features, d_e in the paper.
        heads: number of heads of "multi_head" attention.
        direction: "forward" or "backward".
        hidden_units: number of hidden units of the feed-forward block; ignored without
            the block.
        attention: "multi_head" (`DistanceMaskedSelfAttention`) or "multi_dimensional"
            (`MultiDimensionalSelfAttention`), which ignores `heads`.
        alpha: weight of the distance mask; 0 disables the mask.
        gate: "projected", "raw" or "normalized", see `FusionGate`.
        directions: whether to apply the directional mask M_dir. If `False`, a token
            attends to all tokens except itself.
        feed_forward: whether to apply the feed-forward block. If `False`, U = G.
        dropout: dropout rate of H, of the logits of the gate, and of the feed-forward
            layers before the residual connection.
        layer_norm: whether to apply layer normalization in all three parts.
        seed: integer from which the seeds of the dropout layers are derived; `None` for
            random seeds.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor X `(B, L, D_in)`.

    Returns: tensor U `(B, L, units)`. With `return_attention=True`, also a list of
        `TokenMap`s:
        - `attention` `(B, heads, L, L)` or `feature_attention` `(B, L, L, units)`.
        - `gate` `(B, L, units)`.
        - `deactivated` `(B, L)`: fraction of hidden units of the feed-forward block
          whose activation is 0, if the block is applied.
        - `output` `(B, L, units)`: U.

    Raises: `ValueError` if `attention` or `gate` is unknown; when the layer is built,
        if `direction` is unknown, `alpha` is negative, `units` is not divisible by the
        `heads` of "multi_head" attention, or the input of the gates "raw" and
        "normalized" does not have `units` features.

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
        check_choice("gate", gate, GATES)
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

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        # (B, L, units): the context of each token
        H = call_layer(self.self_attention, maps, x, mask=mask, training=training)
        # (B, L, units) each: the gated sum and the gate
        G, F = self.fusion_gate(x, H, training=training, return_gate=True)
        # (B, L, units), and the hidden layer (B, L, hidden_units)
        if self.feed_forward is None:
            U = G
            hidden = None
        else:
            U, hidden = self.feed_forward(G, training=training, return_hidden=True)
        if maps is None:
            return U
        maps.append(make_gate_map(F))
        if hidden is not None:
            maps.append(make_deactivation_map(hidden))
        maps.append(make_output_map(U))
        return U, replace_map_fields(maps, direction=self.direction)


def make_deactivation_map(hidden: Tensor) -> TokenMap:
    """Returns the `TokenMap` of the fraction of deactivated hidden units per token.

    A unit is deactivated if its activation is 0.

    Args:
        hidden: hidden layer of the feed-forward block, tensor `(B, L, hidden_units)`.
    """
    # (B, L)
    fraction = ops.mean(ops.cast(hidden <= 0, "float32"), axis=-1)
    return TokenMap(
        "deactivated",
        MapKind.TOKEN,
        fraction,
        label="deactivated units of the hidden layer",
    )


def make_output_map(U: Tensor) -> TokenMap:
    """Returns the `TokenMap` of the output U of a block, tensor `(B, L, units)`."""
    return TokenMap(
        "output",
        MapKind.TOKEN_BY_FEATURE,
        U,
        summary="max",
        label="largest output feature",
    )

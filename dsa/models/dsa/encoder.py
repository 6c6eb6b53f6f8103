"""The sentence encoder of the Distance-based Self-Attention Network."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap, call_layer, describe_maps, make_gate_map
from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import DIRECTIONS, Mask, MaskedLayer, Tensor
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
    """One direction of DSA: masked attention, fusion gate, feed-forward block.

        H = DistanceMaskedSelfAttention(X);  G = gate(X, H);  U = feed_forward(G)

    Args:
        units, heads, direction, alpha, dropout, layer_norm, seed: see
            `DistanceMaskedSelfAttention`; the dropout is also the gate's and the
            feed-forward block's.
        hidden_units: features of the feed-forward block's hidden layer.
        attention: "multi_head" or "multi_dimensional", which has no heads
            (`MultiDimensionalSelfAttention`).
        gate: what the gate mixes, see `FusionGate`: "projected", "raw" as DiSAN's, or
            "normalized".
        directions: `False` leaves out M_dir: a token sees all tokens but itself.
        feed_forward: `False` leaves out the feed-forward block: U = G.

    Call arguments, beside those of `MaskedLayer`:
        x: X, tensor `(B, L, D_in)`.

    Returns: U, tensor `(B, L, units)`. `TokenMap`s: `attention` `(B, heads, L, L)` or
        `feature_attention` `(B, L, L, units)`; `gate` `(B, L, units)`; `deactivated`
        `(B, L)`, the share of a token's units in the feed-forward block's hidden layer
        that are 0, if there is one; `output` `(B, L, units)`, U again.

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
        shared = {
            "dropout": self.dropout,
            "layer_norm": self.layer_norm,
            "seed": self.seed,
        }
        masks = {
            "direction": self.direction,
            "alpha": self.alpha,
            "directional": self.directional,
        }
        form, sizes = MultiDimensionalSelfAttention, [self.units]
        if self.attention == "multi_head":
            form, sizes = DistanceMaskedSelfAttention, [self.units, self.heads]
        self.self_attention = self.build_part(
            form, "self_attention", input_shape, *sizes, **masks, **shared
        )
        context_shape = (*input_shape[:-1], self.units)
        gate = {"mixes": self.gate, "dtype": self.dtype_policy, "name": "fusion_gate"}
        self.fusion_gate = FusionGate(self.units, **gate, **shared)
        self.fusion_gate.build(input_shape, context_shape)
        self.feed_forward = None
        if self.has_feed_forward:
            form, units = PositionWiseFeedForward, self.hidden_units
            self.feed_forward = self.build_part(
                form, "feed_forward", context_shape, units, **shared
            )

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        # all (B, L, units)
        H = call_layer(self.self_attention, maps, x, mask=mask, training=training)
        G, F = self.fusion_gate(x, H, training=training, return_gate=True)
        U, hidden = G, None
        if self.feed_forward is not None:
            U, hidden = self.feed_forward(G, training=training, return_hidden=True)
        if maps is None:
            return U
        maps.append(make_gate_map(F))
        if hidden is not None:
            share = ops.mean(ops.cast(hidden <= 0, "float32"), axis=-1)
            label = "deactivated units of the hidden layer"
            maps.append(TokenMap("deactivated", MapKind.TOKEN, share, label=label))
        kind, label = MapKind.TOKEN_BY_FEATURE, "largest output feature"
        maps.append(TokenMap("output", kind, U, summary="max", label=label))
        return U, describe_maps(maps, direction=self.direction)


@keras.saving.register_keras_serializable(package="dsa")
class DSAEncoder(MaskedLayer):
    """DSA: both directions (untied), joined, then pooled to one vector.

        U = [U_forward; U_backward];  sentence = [source2token(U); max_i U_i]

    Args:
        units: features per direction, d_e in the paper.
        heads, attention, alpha, gate, directions, feed_forward, dropout, layer_norm:
            see `DirectionalSelfAttention`.
        hidden_units: see `DirectionalSelfAttention`; `None` for 4 x `units`.
        pooling: "both", or only "source2token" or "max".

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D_in)`, word vectors.

    Returns: tensor `(B, S)`, S = 4 x `units` with pooling "both", else 2 x `units`.
        `TokenMap`s: those of each direction (see `DirectionalSelfAttention`),
        `source2token` `(B, L, 2 units)` and `max_pooling` `(B, 2 units)`, the position
        that each feature's maximum comes from; the last two as far as `pooling` has
        them.

    Raises: `ValueError` for an unknown `pooling` or `gate`, and as
        `DistanceMaskedSelfAttention`.

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
        self.directions = [
            self.build_part(
                DirectionalSelfAttention,
                direction,
                input_shape,
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
            )
            for direction in DIRECTIONS
        ]
        self.source2token = None
        if self.pooling != "max":
            shape = (*input_shape[:-1], 2 * self.units)
            self.source2token = self.build_part(
                Source2Token, "source2token", shape, self.layer_norm
            )

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        # (B, L, 2 units): U
        U = ops.concatenate(
            [
                call_layer(layer, maps, x, mask=mask, training=training)
                for layer in self.directions
            ],
            axis=-1,
        )
        # (B, S)
        maximum = self.pooling != "source2token"
        sentence = pool_tokens(U, mask, self.source2token, maximum, maps)
        return (sentence, maps) if return_attention else sentence

    def compute_output_shape(self, input_shape):
        vectors = 2 if self.pooling == "both" else 1
        return (input_shape[0], vectors * 2 * self.units)

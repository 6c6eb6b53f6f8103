"""Sentence encoder of the Distance-based Self-Attention Network."""

from typing import Any

import keras
from keras import ops

from dsa.layers.argument_checks import check_choice
from dsa.layers.attention_maps import call_layer
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.layers.source2token import Source2Token, pool_tokens
from dsa.models.dsa.directional_self_attention import DirectionalSelfAttention
from dsa.seeds import derived_seed

POOLINGS = ("both", "source2token", "max")


@keras.saving.register_keras_serializable(package="dsa")
class DSAEncoder(MaskedLayer):
    """Sentence encoder of DSA: self-attention in two directions, then pooling.

        U = [U_forward; U_backward]
        sentence = [Source2Token(U); max_i U_i]

    U_forward and U_backward are the outputs of two `DirectionalSelfAttention` layers
    with separate weights.

    Args:
        units: integer, number of features per direction, d_e in the paper.
        heads, attention, alpha, gate, directions, feed_forward, dropout, layer_norm:
            see `DirectionalSelfAttention`.
        hidden_units: see `DirectionalSelfAttention`; `None` for 4 x `units`.
        pooling: "source2token", "max", or "both" to concatenate both vectors.
        seed: integer from which the seeds of the dropout layers are derived; `None` for
            random seeds.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor of word vectors `(B, L, D_in)`.

    Returns: tensor `(B, S)`, S = 4 x `units` with pooling "both", else 2 x `units`.
        With `return_attention=True`, also a list of `TokenMap`s:
        - the maps of each direction, see `DirectionalSelfAttention`.
        - `source2token` `(B, L, 2 * units)`, if `pooling` includes it.
        - `max_pooling` `(B, 2 * units)`: token position of the maximum of each feature,
          if `pooling` includes it.

    Raises: `ValueError` if `pooling` is unknown. The other arguments are checked when
        the layer is built, see `DirectionalSelfAttention`.

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
        hidden_units = self.hidden_units
        if hidden_units is None:
            hidden_units = 4 * self.units
        self.directions = []
        for direction in ("forward", "backward"):
            layer = DirectionalSelfAttention(
                self.units,
                self.heads,
                direction,
                hidden_units=hidden_units,
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

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        forward, backward = self.directions
        # (B, L, units) each
        U_forward = call_layer(forward, maps, x, mask=mask, training=training)
        U_backward = call_layer(backward, maps, x, mask=mask, training=training)
        # (B, L, 2 * units)
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
        num_poolings = 2 if self.pooling == "both" else 1
        return (input_shape[0], num_poolings * 2 * self.units)

"""Transformer layer with post- or pre-normalisation."""

from typing import Any

import keras
from keras import ops

from dsa.backends.layer_normalization import LayerNormalization
from dsa.layers.argument_checks import check_choice
from dsa.layers.attention_maps import call_layer
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.models.transformer.attention import FullSelfAttention
from dsa.seeds import derived_seed

NORMS = ("post", "pre")


@keras.saving.register_keras_serializable(package="dsa")
class TransformerLayer(MaskedLayer):
    """Transformer layer: a self-attention block and a feed-forward block.

        post: x = LN(x + Dropout(block(x)))
        pre:  x = x + Dropout(block(LN(x)))

    The feed-forward block is `max(0, x W_1 + b_1) W_2 + b_2`.

    Args:
        units, heads, max_distance: see `FullSelfAttention`.
        hidden_units: number of hidden units of the feed-forward block.
        norm: "post" for layer normalisation (LN) after each residual sum, "pre" for
            layer normalisation of the input of each block.
        dropout: dropout rate of the output of each block.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, units)`.

    Returns: tensor `(B, L, units)`. With `return_attention=True`, also a list with the
        `TokenMap` of `FullSelfAttention`.

    Raises: `ValueError` if `norm` is unknown or `units` is not divisible by `heads`
        (when the layer is built).

    Reference: Vaswani et al. 2017, sections 3.1, 3.3 and 5.4; Xiong et al. 2020,
    figure 1, for "pre".

    Example:
        >>> layer = TransformerLayer(6, heads=2, hidden_units=24)
        >>> tuple(layer(ops.ones((2, 5, 6))).shape)
        (2, 5, 6)
    """

    def __init__(
        self,
        units: int,
        heads: int,
        hidden_units: int,
        max_distance: int | None = None,
        norm: str = "post",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("norm", norm, NORMS)
        self.units = units
        self.heads = heads
        self.hidden_units = hidden_units
        self.max_distance = max_distance
        self.norm = norm
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.attention = FullSelfAttention(
            self.units,
            self.heads,
            max_distance=self.max_distance,
            dtype=self.dtype_policy,
            name="attention",
        )
        self.attention.build(input_shape)
        self.hidden = keras.layers.Dense(
            self.hidden_units,
            activation="relu",
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.hidden.build(input_shape)
        self.output_map = keras.layers.Dense(
            self.units, dtype=self.dtype_policy, name="output_map"
        )
        self.output_map.build((*input_shape[:-1], self.hidden_units))
        self.norms = []
        self.drops = []
        for block in ("attention", "feed_forward"):
            norm = LayerNormalization(
                epsilon=1e-5, dtype="float32", name=f"{block}_norm"
            )
            norm.build(input_shape)
            self.norms.append(norm)
            drop = keras.layers.Dropout(
                self.dropout,
                seed=derived_seed(self.seed, block),
                dtype=self.dtype_policy,
            )
            self.drops.append(drop)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        attention_norm, feed_forward_norm = self.norms
        drop_attention, drop_feed_forward = self.drops
        # (B, L, units): self-attention
        residual = x
        if self.norm == "pre":
            x = ops.cast(attention_norm(x), self.compute_dtype)
        x = call_layer(self.attention, maps, x, mask=mask)
        x = residual + drop_attention(x, training=training)
        if self.norm == "post":
            x = ops.cast(attention_norm(x), self.compute_dtype)
        # (B, L, units): feed-forward block
        residual = x
        if self.norm == "pre":
            x = ops.cast(feed_forward_norm(x), self.compute_dtype)
        x = self.output_map(self.hidden(x))
        x = residual + drop_feed_forward(x, training=training)
        if self.norm == "post":
            x = ops.cast(feed_forward_norm(x), self.compute_dtype)
        return (x, maps) if return_attention else x

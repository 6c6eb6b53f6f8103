"""One layer of the Transformer's encoder."""

import keras
from keras import ops

from dsa.backends.layer_normalization import LayerNormalization
from dsa.layers.maps import call_layer
from dsa.layers.masks import MaskedLayer
from dsa.models.transformer.self_attention import FullSelfAttention
from dsa.seeds import derived_seed

NORMS = ("post", "pre")


@keras.saving.register_keras_serializable(package="dsa")
class TransformerLayer(MaskedLayer):
    """Self-attention, then a feed-forward block, each added to its input.

        post: x = LN(x + Dropout(block(x)));  pre: x = x + Dropout(block(LN(x)))

    The feed-forward block is `max(0, x W_1 + b_1) W_2 + b_2`.

    Args:
        units, heads, max_distance: see `FullSelfAttention`.
        hidden_units: features of the feed-forward block's hidden layer.
        norm: "post" or "pre".
        dropout: dropped share of each block's output.
        seed: seed of the dropouts; `None` for unseeded ones.

    Call arguments:
        x: tensor `(B, L, units)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return what each token looked at as well.

    Returns: tensor `(B, L, units)`; with `return_attention` a pair of it and the list
        of `TokenMap`s of `FullSelfAttention`.

    Raises: `ValueError` for an unknown `norm`.

    Reference: Vaswani et al. 2017, sections 3.1, 3.3 and 5.4; Xiong et al. 2020,
    figure 1, for "pre".

    Example:
        >>> layer = TransformerLayer(6, heads=2, hidden_units=24)
        >>> tuple(layer(ops.ones((2, 5, 6))).shape)
        (2, 5, 6)
    """

    def __init__(
        self,
        units,
        heads,
        hidden_units,
        max_distance=None,
        norm="post",
        dropout=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if norm not in NORMS:
            raise ValueError(f"`norm` must be one of {NORMS}. Received: {norm!r}")
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
            self.max_distance,
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
        self.norms, self.drops = [], []
        for block in ("attention", "feed_forward"):
            norm = LayerNormalization(
                epsilon=1e-5, dtype="float32", name=f"{block}_norm"
            )
            norm.build(input_shape)
            self.norms.append(norm)
            seed = derived_seed(self.seed, block)
            self.drops.append(
                keras.layers.Dropout(self.dropout, seed=seed, dtype=self.dtype_policy)
            )

    def call(self, x, mask=None, training=None, return_attention=False):
        maps = [] if return_attention else None

        def attend(x):
            return call_layer(self.attention, maps, x, mask=mask)

        def feed_forward(x):
            return self.output_map(self.hidden(x))

        for block, norm, drop in zip(
            (attend, feed_forward), self.norms, self.drops, strict=True
        ):
            # (B, L, units)
            if self.norm == "pre":
                x = x + drop(block(self._normalize(norm, x)), training=training)
            else:
                x = self._normalize(norm, x + drop(block(x), training=training))
        return (x, maps) if return_attention else x

    def _normalize(self, norm, x):
        return ops.cast(norm(x), self.compute_dtype)

    def compute_output_shape(self, input_shape):
        return input_shape

"""The Transformer's encoder: its layers, and their stacks, pooled to one vector a
sentence."""

from typing import Any

import keras
from keras import ops
from keras.layers import Dense

from dsa.explanation import call_layer
from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.layers.source2token import Source2Token, pool_tokens
from dsa.models.transformer.attention import AddPositions, FullSelfAttention
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

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, units)`.

    Returns: tensor `(B, L, units)`. `TokenMap`s: those of `FullSelfAttention`.

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
        hidden_shape = (*input_shape[:-1], self.hidden_units)
        sizes = self.units, self.heads, self.max_distance
        form = FullSelfAttention
        self.attention = self.build_part(form, "attention", input_shape, *sizes)
        units = self.hidden_units
        self.hidden = self.build_part(Dense, "hidden", input_shape, units, "relu")
        self.output_map = self.build_part(Dense, "output_map", hidden_shape, self.units)
        self.norms, self.drops = [], []
        for block in ("attention", "feed_forward"):
            self.norms.append(self.build_norm(f"{block}_norm", input_shape))
            self.drops.append(self.make_dropout(block))

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
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


POSITIONS = ("sinusoidal", "learned", "relative", "none")


@keras.saving.register_keras_serializable(package="dsa")
class TransformerEncoder(MaskedLayer):
    """Stacks of Transformer layers beside each other, joined, then pooled as DSA's.

        U = [stack_1(s x + p); stack_2(s x + p); ...]
        sentence = [source2token(U); max U]

    Args:
        units: features of a token in each stack, and of the word vectors.
        heads: attention heads.
        layers: layers of each stack.
        stacks: number of stacks.
        hidden_units: of the feed-forward blocks; `None` for 4 x `units`.
        positions: "sinusoidal" or "learned" (`AddPositions`), "relative"
            (`FullSelfAttention`) or "none".
        max_position: see `AddPositions`.
        max_distance: see `FullSelfAttention`.
        word_scale: s, which word vectors are multiplied by.
        norm: "post", or "pre", which normalises the end of each stack too.
        pooling: "both", or only "source2token" or "max".
        dropout: dropped share of the stacks' inputs and of each block's output.
        layer_norm: whether source2token has layer normalisation.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, units)`, word vectors.

    Returns: tensor `(B, S)`, S = `stacks` x `units`, twice that with pooling "both".
        `TokenMap`s: `attention` `(B, heads, L, L)` of each layer, `source2token`
        `(B, L, stacks x units)` and `max_pooling`, as far as `pooling` has them.

    Raises: `ValueError` for unknown `positions`, and as `TransformerLayer`.

    Reference: Vaswani et al. 2017, section 3 (s: 3.4); the pooling of Im & Cho 2017,
    section 4.2.5.

    Example:
        >>> encoder = TransformerEncoder(units=6, heads=2)
        >>> tuple(encoder(ops.ones((2, 5, 6))).shape)
        (2, 24)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int = 300,
        heads: int = 5,
        *,
        layers: int = 1,
        stacks: int = 2,
        hidden_units: int | None = None,
        positions: str = "sinusoidal",
        max_position: int = 512,
        max_distance: int = 16,
        word_scale: float = 1.0,
        norm: str = "post",
        pooling: str = "both",
        dropout: float = 0.1,
        layer_norm: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("positions", positions, POSITIONS)
        self.units = units
        self.heads = heads
        self.layers = layers
        self.stacks = stacks
        self.hidden_units = hidden_units
        self.positions = positions
        self.max_position = max_position
        self.max_distance = max_distance
        self.word_scale = word_scale
        self.norm = norm
        self.pooling = pooling
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.seed = seed

    def build(self, input_shape):
        self.place = None
        if self.positions in ("sinusoidal", "learned"):
            kind = self.positions, self.max_position
            self.place = self.build_part(AddPositions, "positions", input_shape, *kind)
        self.drop = self.make_dropout("words")
        # all stacks in one list: Keras before 3.15 saves no weights of lists in lists
        self.blocks = [
            self._build_layer(f"layer_{stack + 1}_{number + 1}", input_shape)
            for stack in range(self.stacks)
            for number in range(self.layers)
        ]
        self.norms = []
        if self.norm == "pre":
            self.norms = [
                self.build_norm(f"norm_{number}", input_shape)
                for number in range(1, self.stacks + 1)
            ]
        self.source2token = None
        if self.pooling != "max":
            shape = (*input_shape[:-1], self.stacks * self.units)
            self.source2token = self.build_part(
                Source2Token, "source2token", shape, self.layer_norm
            )

    def _build_layer(self, name, input_shape):
        return self.build_part(
            TransformerLayer,
            name,
            input_shape,
            self.units,
            self.heads,
            self.hidden_units or 4 * self.units,
            self.max_distance if self.positions == "relative" else None,
            self.norm,
            self.dropout,
            seed=derived_seed(self.seed, name),
        )

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        x = x * ops.cast(self.word_scale, x.dtype)
        if self.place is not None:
            x = self.place(x)
        x = self.drop(x, training=training)
        outputs, options = [], {"mask": mask, "training": training}
        for stack in range(self.stacks):
            tokens = x
            for layer in self.blocks[stack * self.layers :][: self.layers]:
                # (B, L, units)
                where = {"part": layer.name}
                tokens = call_layer(layer, maps, tokens, describe=where, **options)
            if self.norms:
                tokens = ops.cast(self.norms[stack](tokens), self.compute_dtype)
            outputs.append(tokens)
        # (B, L, stacks x units): U
        tokens = ops.concatenate(outputs, axis=-1)
        # (B, S)
        sentence = pool_tokens(
            tokens, mask, self.source2token, self.pooling != "source2token", maps
        )
        return (sentence, maps) if return_attention else sentence

    def compute_output_shape(self, input_shape):
        parts = 2 if self.pooling == "both" else 1
        return (input_shape[0], parts * self.stacks * self.units)

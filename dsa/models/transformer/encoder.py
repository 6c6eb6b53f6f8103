"""Transformer sentence encoder."""

from typing import Any

import keras
from keras import ops

from dsa.backends.layer_normalization import LayerNormalization
from dsa.layers.argument_checks import check_choice
from dsa.layers.attention_maps import call_layer
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.layers.source2token import Source2Token, pool_tokens
from dsa.models.transformer.attention import AddPositions
from dsa.models.transformer.transformer_layer import TransformerLayer
from dsa.seeds import derived_seed

POSITIONS = ("sinusoidal", "learned", "relative", "none")
POOLINGS = ("both", "source2token", "max")


@keras.saving.register_keras_serializable(package="dsa")
class TransformerEncoder(MaskedLayer):
    """Sentence encoder: parallel stacks of Transformer layers, then the pooling of DSA.

        U = [stack_1(s x + p); stack_2(s x + p); ...]
        sentence = [Source2Token(U); max_i U_i]

    x are the word vectors and p is the position embedding.

    Args:
        units: integer, number of features of a word vector and of a token in each
            stack.
        heads: number of attention heads.
        layers: number of layers in each stack.
        stacks: number of parallel stacks.
        hidden_units: number of hidden units of the feed-forward blocks; `None` for
            4 x `units`.
        positions: position embedding, "sinusoidal" or "learned" (see `AddPositions`),
            "relative" (see `FullSelfAttention`) or "none".
        max_position: see `AddPositions`; only used by "learned" positions.
        max_distance: see `FullSelfAttention`; only used by "relative" positions.
        word_scale: factor s of the word vectors, a float.
        norm: "post" or "pre", see `TransformerLayer`. "pre" also normalises the output
            of each stack.
        pooling: "source2token", "max", or "both" to concatenate both vectors.
        dropout: dropout rate of the inputs of the stacks and of the output of each
            block.
        layer_norm: whether to apply layer normalisation in `Source2Token`.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor of word vectors `(B, L, units)`.

    Returns: tensor `(B, S)`, S = 2 x `stacks` x `units` with pooling "both", else
        `stacks` x `units`. With `return_attention=True`, also a list of `TokenMap`s:
        - `attention` `(B, heads, L, L)` of each layer.
        - `source2token` `(B, L, stacks x units)`, if `pooling` includes it.
        - `max_pooling` `(B, stacks x units)`, if `pooling` includes it.

    Raises: `ValueError` if `positions` or `pooling` is unknown; see also
        `TransformerLayer`.

    Reference: Vaswani et al. 2017, section 3; section 3.4 for s. Im & Cho 2017, section
    4.2.5, for the pooling.

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
        check_choice("pooling", pooling, POOLINGS)
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
        # The attribute name `place` is part of the paths in weight files.
        self.place = None
        if self.positions in ("sinusoidal", "learned"):
            self.place = AddPositions(
                self.positions,
                max_position=self.max_position,
                dtype=self.dtype_policy,
                name="positions",
            )
            self.place.build(input_shape)
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "words"),
            dtype=self.dtype_policy,
        )
        # a flat list, because Keras before 3.15 does not save weights in nested lists
        self.blocks = []
        max_distance = self.max_distance if self.positions == "relative" else None
        for stack in range(1, self.stacks + 1):
            for depth in range(1, self.layers + 1):
                name = f"layer_{stack}_{depth}"
                layer = TransformerLayer(
                    self.units,
                    self.heads,
                    self.hidden_units or 4 * self.units,
                    max_distance=max_distance,
                    norm=self.norm,
                    dropout=self.dropout,
                    seed=derived_seed(self.seed, name),
                    dtype=self.dtype_policy,
                    name=name,
                )
                layer.build(input_shape)
                self.blocks.append(layer)
        self.norms = []
        if self.norm == "pre":
            for stack in range(1, self.stacks + 1):
                norm = LayerNormalization(
                    epsilon=1e-5, dtype="float32", name=f"norm_{stack}"
                )
                norm.build(input_shape)
                self.norms.append(norm)
        self.source2token = None
        if self.pooling != "max":
            self.source2token = Source2Token(
                layer_norm=self.layer_norm,
                dtype=self.dtype_policy,
                name="source2token",
            )
            self.source2token.build((*input_shape[:-1], self.stacks * self.units))

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        # (B, L, units): s x + p
        x = x * ops.cast(self.word_scale, x.dtype)
        if self.place is not None:
            x = self.place(x)
        x = self.drop(x, training=training)
        outputs = []
        for stack in range(self.stacks):
            tokens = x
            first = stack * self.layers
            for layer in self.blocks[first : first + self.layers]:
                # (B, L, units)
                tokens = call_layer(
                    layer,
                    maps,
                    tokens,
                    mask=mask,
                    training=training,
                    map_fields={"part": layer.name},
                )
            if self.norm == "pre":
                tokens = ops.cast(self.norms[stack](tokens), self.compute_dtype)
            outputs.append(tokens)
        # (B, L, stacks x units)
        U = ops.concatenate(outputs, axis=-1)
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
        return (input_shape[0], num_poolings * self.stacks * self.units)

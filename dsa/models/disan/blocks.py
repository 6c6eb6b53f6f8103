"""Directional self-attention blocks: DiSAN up to its pooling."""

import keras
from keras import ops

from dsa.explanation import describe_maps
from dsa.layers.fusion_gate import RawFusionGate, make_gate_map
from dsa.layers.maps import call_layer
from dsa.layers.masks import DIRECTIONS, MaskedLayer
from dsa.layers.normalized_dense import NormalizedDense
from dsa.models.disan.token2token import Token2Token
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class DiSABlock(MaskedLayer):
    """One directional self-attention block.

        h = ELU(W x + b);  s = Token2Token(h);  u = RawFusionGate(h, s)

    Args:
        units: features D of h.
        looks_at, scale: see `Token2Token`.
        gate_biases: 3 as in the released code, or 1 as in the paper.
        activation: name of h's Keras activation.
        dropout: dropped share of the input of every linear map.
        l2: decay of the matrices of h and of the gate, not of `Token2Token`'s, as in
            the released code.
        seed: the dropouts' seeds are derived from it; `None` for unseeded ones.

    Call arguments:
        x: tensor `(B, L, D_in)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return what the tokens looked at as well.

    Returns: u, tensor `(B, L, units)`; with `return_attention` a pair of it and a list
        of `TokenMap`s, `feature_attention` `(B, L, L, units)` and `gate`
        `(B, L, units)`.

    Reference: Shen et al. 2018, section 3.3, equations 14 to 20, figure 2.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(DiSABlock(6, "forward")(x).shape)
        (2, 5, 6)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units,
        looks_at,
        *,
        scale=5.0,
        gate_biases=3,
        activation="elu",
        dropout=0.0,
        l2=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if gate_biases not in (1, 3):
            raise ValueError(f"`gate_biases` must be 1 or 3. Received: {gate_biases}")
        self.units = units
        self.looks_at = looks_at
        self.scale = scale
        self.gate_biases = gate_biases
        self.activation = activation
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def build(self, input_shape):
        shape = (*input_shape[:-1], self.units)
        self.hidden = NormalizedDense(
            self.units,
            self.activation,
            layer_norm=False,
            dropout=self.dropout,
            l2=self.l2,
            seed=derived_seed(self.seed, "hidden"),
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.hidden.build(input_shape)
        self.token2token = Token2Token(
            self.looks_at,
            self.scale,
            self.dropout,
            seed=self.seed,
            dtype=self.dtype_policy,
            name="token2token",
        )
        self.token2token.build(shape)
        self.fusion_gate = RawFusionGate(
            self.units,
            layer_norm=False,
            projection_bias=self.gate_biases == 3,
            input_dropout=self.dropout,
            l2=self.l2,
            seed=self.seed,
            dtype=self.dtype_policy,
            name="fusion_gate",
        )
        self.fusion_gate.build(shape, shape)

    def call(self, x, mask=None, training=None, return_attention=False):
        maps = [] if return_attention else None
        # (B, L, units)
        h = self.hidden(x, training=training)
        # (B, L, units): what each token looked at
        context = call_layer(self.token2token, maps, h, mask=mask, training=training)
        # both (B, L, units)
        output, gate = self.fusion_gate(h, context, training=training, return_gate=True)
        if not return_attention:
            return output
        return output, [*maps, make_gate_map(gate)]


@keras.saving.register_keras_serializable(package="dsa")
class BidirectionalDiSA(MaskedLayer):
    """Two untied `DiSABlock`s, their outputs joined: `(B, L, 2 units)`.

    Args:
        units: features of each block.
        directions: `False` lets both blocks look at all other tokens ("DiSAN without
            directions").
        scale, gate_biases, activation, dropout, l2, seed: see `DiSABlock`.

    Call arguments: see `DiSABlock`.

    Returns: tensor `(B, L, 2 units)`; with `return_attention` a pair of it and the
        `TokenMap`s of each block, with "forward" or "backward" as direction; blocks
        without directions keep these names.

    Reference: Shen et al. 2018, section 4, figure 4.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(BidirectionalDiSA(6)(x).shape)
        (2, 5, 12)
    """

    def __init__(self, units, directions=True, seed=None, **kwargs):
        block = {
            name: kwargs.pop(name)
            for name in ("scale", "gate_biases", "activation", "dropout", "l2")
            if name in kwargs
        }
        super().__init__(**kwargs)
        self.units = units
        self.directions = directions
        self.seed = seed
        self.block = block

    def build(self, input_shape):
        self.blocks = []
        for direction in DIRECTIONS:
            block = DiSABlock(
                self.units,
                direction if self.directions else "others",
                **self.block,
                seed=derived_seed(self.seed, direction),
                dtype=self.dtype_policy,
                name=direction,
            )
            block.build(input_shape)
            self.blocks.append(block)

    def call(self, x, mask=None, training=None, return_attention=False):
        outputs, maps = [], []
        for block in self.blocks:
            block_maps = [] if return_attention else None
            # (B, L, units)
            output = call_layer(block, block_maps, x, mask=mask, training=training)
            outputs.append(output)
            maps += describe_maps(block_maps or [], direction=block.name)
        # (B, L, 2 units)
        joined = ops.concatenate(outputs, axis=-1)
        return (joined, maps) if return_attention else joined

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units)

"""Directional self-attention blocks: DiSAN up to its pooling."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import call_layer, make_gate_map
from dsa.layers.composed_layer import ComposedLayer
from dsa.layers.masks import DIRECTIONS, Mask, MaskedLayer, Tensor
from dsa.layers.normalized_dense import NormalizedDense
from dsa.models.disan.multi_dimensional import Token2Token
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class RawFusionGate(ComposedLayer):
    """DiSAN's gate: a gated sum of a token and what it looked at, both as they are.

        F = sigmoid(W_1 Dropout(s) + W_2 Dropout(h) + b);  u = F * h + (1 - F) * s

    Works on each token by itself, so padding cannot leak through it.

    Args:
        biases: 1 as in the paper, or 3 as in the released code: also one of each map.
        dropout: dropped share of the input of both maps.
        l2: decay of both matrices, see `NormalizedDense`.

    Call arguments:
        h, s: tensors `(B, L, D)`, the tokens before and after attention.
        return_gate: whether to return F as well.

    Returns: u, tensor `(B, L, D)`; with `return_gate` a pair of it and F, of the same
        shape: 1 keeps the token, 0 takes the context.

    Raises: `ValueError` for another number of biases.

    Reference: Shen et al. 2018, section 3.3, equations 19 and 20.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(RawFusionGate()(x, 2 * x).shape)
        (2, 5, 8)
    """

    def __init__(
        self,
        biases: int = 3,
        dropout: float = 0.0,
        l2: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if biases not in (1, 3):
            raise ValueError(f"`gate_biases` must be 1 or 3. Received: {biases}")
        self.biases = biases
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def build(self, h_shape, s_shape):  # pyright: ignore[reportIncompatibleMethodOverride]
        def projection(name, shape):
            return self.build_part(
                NormalizedDense,
                name,
                shape,
                h_shape[-1],
                use_bias=self.biases == 3,
                layer_norm=False,
                dropout=self.dropout,
                l2=self.l2,
                seed=derived_seed(self.seed, name),
            )

        self.token_projection = projection("token_projection", h_shape)
        self.context_projection = projection("context_projection", s_shape)
        self.bias = self.add_weight(
            shape=(h_shape[-1],), initializer="zeros", name="bias"
        )

    def call(self, h: Tensor, s: Tensor, training=None, return_gate=False):
        # all (B, L, D)
        projected_h = self.token_projection(h, training=training)
        projected_s = self.context_projection(s, training=training)
        F = ops.sigmoid(projected_h + projected_s + self.bias)
        u = s + F * (h - s)  # F * h + (1 - F) * s with one product less
        return (u, F) if return_gate else u


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

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D_in)`.

    Returns: u, tensor `(B, L, units)`. `TokenMap`s: `feature_attention`
        `(B, L, L, units)` and `gate` `(B, L, units)`.

    Reference: Shen et al. 2018, section 3.3, equations 14 to 20, figure 2.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(DiSABlock(6, "forward")(x).shape)
        (2, 5, 6)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int,
        looks_at: str,
        *,
        scale: float = 5.0,
        gate_biases: int = 3,
        activation: str = "elu",
        dropout: float = 0.0,
        l2: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        options: dict[str, Any] = {"seed": seed, "dtype": self.dtype_policy}
        self.hidden = NormalizedDense(
            units,
            activation,
            layer_norm=False,
            dropout=dropout,
            l2=l2,
            **{**options, "seed": derived_seed(seed, "hidden")},
            name="hidden",
        )
        self.token2token = Token2Token(
            looks_at, scale, dropout, **options, name="token2token"
        )
        self.fusion_gate = RawFusionGate(
            gate_biases, dropout, l2, **options, name="fusion_gate"
        )

    def build(self, input_shape):
        shape = (*input_shape[:-1], self.units)
        self.hidden.build(input_shape)
        self.token2token.build(shape)
        self.fusion_gate.build(shape, shape)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        # all (B, L, units)
        h = self.hidden(x, training=training)
        s = call_layer(self.token2token, maps, h, mask=mask, training=training)
        u, F = self.fusion_gate(h, s, training=training, return_gate=True)
        return u if maps is None else (u, [*maps, make_gate_map(F)])


@keras.saving.register_keras_serializable(package="dsa")
class BidirectionalDiSA(MaskedLayer):
    """Two untied `DiSABlock`s, their outputs joined: `(B, L, 2 units)`.

    Args:
        units: features of each block.
        directions: `False` lets both blocks look at all other tokens ("DiSAN without
            directions").
        block: further arguments of both, see `DiSABlock`.

    Call arguments: see `DiSABlock`.

    Returns: tensor `(B, L, 2 units)`. `TokenMap`s: those of each block, with "forward"
        or "backward" as direction; blocks without directions keep these names.

    Reference: Shen et al. 2018, section 4, figure 4.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(BidirectionalDiSA(6)(x).shape)
        (2, 5, 12)
    """

    def __init__(
        self,
        units: int,
        directions: bool = True,
        block: dict[str, Any] | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.blocks = [
            DiSABlock(
                units,
                direction if directions else "others",
                **block or {},
                seed=derived_seed(seed, direction),
                dtype=self.dtype_policy,
                name=direction,
            )
            for direction in DIRECTIONS
        ]

    def build(self, input_shape):
        for block in self.blocks:
            block.build(input_shape)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        options = {"mask": mask, "training": training}
        # (B, L, units) each
        outputs = [
            call_layer(block, maps, x, describe={"direction": block.name}, **options)
            for block in self.blocks
        ]
        # (B, L, 2 units)
        joined = ops.concatenate(outputs, axis=-1)
        return joined if maps is None else (joined, maps)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units)

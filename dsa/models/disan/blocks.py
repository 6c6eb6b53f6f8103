"""Directional self-attention blocks of DiSAN."""

from typing import Any

import keras
from keras import ops

from dsa.layers.attention_maps import call_layer, make_gate_map
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.layers.normalized_dense import NormalizedDense
from dsa.models.disan.multi_dimensional import Token2Token
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class RawFusionGate(keras.layers.Layer):
    """Fusion gate of DiSAN: a gated sum of unprojected tokens and contexts.

        F = sigmoid(W_1 Dropout(s) + W_2 Dropout(h) + b)
        u = F * h + (1 - F) * s

    Operates on each token independently, so padding does not affect real tokens.

    Args:
        biases: number of biases: 1 for b only, as in the paper; 3 for b and a bias of
            each projection, as in the released code.
        dropout: dropout rate of the inputs of W_1 and W_2.
        l2: coefficient of the weight decay of both matrices, see `NormalizedDense`.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments:
        h: tensor of the tokens before attention, `(B, L, D)`.
        s: tensor of the context of each token, `(B, L, D)`.
        return_gate: whether to also return F.

    Returns: tensor u `(B, L, D)`. With `return_gate=True`, a tuple of u and F, both
        `(B, L, D)`. F = 1 selects the token, F = 0 its context.

    Raises: `ValueError` if `biases` is neither 1 nor 3.

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
            raise ValueError(f"`biases` must be 1 or 3. Received: {biases}")
        self.biases = biases
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def build(self, h_shape, s_shape):  # pyright: ignore[reportIncompatibleMethodOverride]
        self.token_projection = NormalizedDense(
            h_shape[-1],
            use_bias=self.biases == 3,
            layer_norm=False,
            dropout=self.dropout,
            l2=self.l2,
            seed=derived_seed(self.seed, "token_projection"),
            dtype=self.dtype_policy,
            name="token_projection",
        )
        self.token_projection.build(h_shape)
        self.context_projection = NormalizedDense(
            h_shape[-1],
            use_bias=self.biases == 3,
            layer_norm=False,
            dropout=self.dropout,
            l2=self.l2,
            seed=derived_seed(self.seed, "context_projection"),
            dtype=self.dtype_policy,
            name="context_projection",
        )
        self.context_projection.build(s_shape)
        self.bias = self.add_weight(
            shape=(h_shape[-1],), initializer="zeros", name="bias"
        )

    def call(
        self,
        h: Tensor,
        s: Tensor,
        training: bool | None = None,
        return_gate: bool = False,
    ):
        # (B, L, D) each
        projected_h = self.token_projection(h, training=training)
        projected_s = self.context_projection(s, training=training)
        F = ops.sigmoid(projected_h + projected_s + self.bias)
        u = s + F * (h - s)  # equals F * h + (1 - F) * s
        return (u, F) if return_gate else u


@keras.saving.register_keras_serializable(package="dsa")
class DiSABlock(MaskedLayer):
    """Directional self-attention block (DiSA).

        h = ELU(W x + b)
        s = Token2Token(h)
        u = RawFusionGate(h, s)

    Args:
        units: integer, number D of features of h.
        direction, scale: see `Token2Token`.
        gate_biases: see `biases` of `RawFusionGate`.
        activation: name of the Keras activation of h.
        dropout: dropout rate of the input of every linear map.
        l2: coefficient of the weight decay of W and of the matrices of the gate. As in
            the released code, the matrices of `Token2Token` have no weight decay.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D_in)`.

    Returns: tensor u `(B, L, units)`. With `return_attention=True`, also a list of the
        `TokenMap`s `feature_attention` `(B, L, L, units)` and `gate` `(B, L, units)`.

    Reference: Shen et al. 2018, section 3.3, equations 14 to 20, figure 2.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(DiSABlock(6, "forward")(x).shape)
        (2, 5, 6)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int,
        direction: str,
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
        self.hidden = NormalizedDense(
            units,
            activation=activation,
            layer_norm=False,
            dropout=dropout,
            l2=l2,
            seed=derived_seed(seed, "hidden"),
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.token2token = Token2Token(
            direction,
            scale=scale,
            dropout=dropout,
            seed=seed,
            dtype=self.dtype_policy,
            name="token2token",
        )
        self.fusion_gate = RawFusionGate(
            biases=gate_biases,
            dropout=dropout,
            l2=l2,
            seed=seed,
            dtype=self.dtype_policy,
            name="fusion_gate",
        )

    def build(self, input_shape):
        shape = (*input_shape[:-1], self.units)
        self.hidden.build(input_shape)
        self.token2token.build(shape)
        self.fusion_gate.build(shape, shape)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        # (B, L, units) each
        h = self.hidden(x, training=training)
        s = call_layer(self.token2token, maps, h, mask=mask, training=training)
        u, F = self.fusion_gate(h, s, training=training, return_gate=True)
        if maps is None:
            return u
        return u, [*maps, make_gate_map(F)]


@keras.saving.register_keras_serializable(package="dsa")
class BidirectionalDiSA(MaskedLayer):
    """Concatenated outputs of a forward and a backward `DiSABlock`.

        output = [DiSABlock_forward(x); DiSABlock_backward(x)]

    Args:
        units: integer, number of output features of each block.
        directions: whether to apply the directional masks. If `False`, the tokens of
            both blocks attend to all other tokens ("DiSAN without directions").
        scale, gate_biases, activation, dropout, l2: settings of both blocks, see
            `DiSABlock`.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments: see `DiSABlock`.

    Returns: tensor `(B, L, 2 units)`. With `return_attention=True`, also a list of the
        `TokenMap`s of both blocks. Their direction is "forward" or "backward", even if
        `directions` is `False`.

    Reference: Shen et al. 2018, section 4, figure 4.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(BidirectionalDiSA(6)(x).shape)
        (2, 5, 12)
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        units: int,
        directions: bool = True,
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
        self.blocks = []
        for direction in ("forward", "backward"):
            layer = DiSABlock(
                units,
                direction=direction if directions else "others",
                scale=scale,
                gate_biases=gate_biases,
                activation=activation,
                dropout=dropout,
                l2=l2,
                seed=derived_seed(seed, direction),
                dtype=self.dtype_policy,
                name=direction,
            )
            self.blocks.append(layer)

    def build(self, input_shape):
        for layer in self.blocks:
            layer.build(input_shape)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        outputs = []
        for layer in self.blocks:
            # (B, L, units)
            u = call_layer(
                layer,
                maps,
                x,
                mask=mask,
                training=training,
                map_fields={"direction": layer.name},
            )
            outputs.append(u)
        # (B, L, 2 units)
        output = ops.concatenate(outputs, axis=-1)
        return (output, maps) if return_attention else output

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units)

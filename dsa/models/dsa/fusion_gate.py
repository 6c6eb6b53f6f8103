"""DSA's gate, which mixes a token with what it attended to, feature by feature."""

from typing import Any

import keras
from keras import ops

from dsa.layers.composed_layer import ComposedLayer, check_choice
from dsa.layers.masks import Tensor
from dsa.layers.normalized_dense import NormalizedDense

MIXED = ("projected", "raw", "normalized")


@keras.saving.register_keras_serializable(package="dsa")
class FusionGate(ComposedLayer):
    """A gated sum of the *projected* token and the *projected* context.

        S^F = LN(S W^S);  H^F = LN(H W^H)
        F = sigmoid(Dropout(S^F + H^F + b^F))
        G = F * S^F + (1 - F) * H^F

    Works on each token by itself, so padding cannot leak through it.

    Args:
        units: features D of the output.
        dropout: dropped share of the gate's logits.
        layer_norm: `False` leaves out both LN.
        mixes: "projected", or "raw" for `G = F * S + (1 - F) * H` as DiSAN's gate, with
            which the paper contrasts its own; then `units` must be the feature size of
            S and H. "normalized" for `G = F * LN(S) + (1 - F) * LN(H)`, which has the
            scale of "projected" without its two maps; no paper has it.

    Call arguments:
        S: tensor `(B, L, D_in)`, the tokens before attention.
        H: tensor `(B, L, units)`, what they attended to.
        return_gate: whether to return F as well.

    Returns: G, tensor `(B, L, units)`; with `return_gate` a pair of it and F, of the
        same shape: 1 keeps the token, 0 takes the context.

    Raises: `ValueError` for raw inputs of another size.

    Reference: Im & Cho 2017, section 4.2.3, equations 11 and 12; its last paragraph for
    "raw".

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> mixed, gate = FusionGate(6)(x, 2 * x, return_gate=True)
        >>> tuple(mixed.shape), tuple(gate.shape)
        ((2, 5, 6), (2, 5, 6))
    """

    def __init__(
        self,
        units: int,
        dropout: float = 0.0,
        layer_norm: bool = True,
        mixes: str = "projected",
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("mixes", mixes, MIXED)
        self.units = units
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.mixes = mixes
        self.seed = seed

    def build(self, S_shape, H_shape):  # pyright: ignore[reportIncompatibleMethodOverride]
        if self.mixes != "projected" and not S_shape[-1] == H_shape[-1] == self.units:
            raise ValueError(
                "A raw gate needs `units` equal to the feature size of both inputs. "
                f"Received: units={self.units}, tokens of shape {S_shape}, "
                f"context of shape {H_shape}"
            )

        def projection(name, shape):
            options = {"use_bias": False, "layer_norm": self.layer_norm}
            return self.build_part(NormalizedDense, name, shape, self.units, **options)

        self.token_projection = projection("token_projection", S_shape)
        self.context_projection = projection("context_projection", H_shape)
        self.bias = self.add_weight(
            shape=(self.units,), initializer="zeros", name="bias"
        )
        if self.mixes == "normalized":
            self.token_norm = self.build_norm("token_norm", S_shape)
            self.context_norm = self.build_norm("context_norm", H_shape)
        self.drop = self.make_dropout("gate")

    def call(self, S: Tensor, H: Tensor, training=None, return_gate=False):
        # all (B, L, units)
        S_F = self.token_projection(S)
        H_F = self.context_projection(H)
        F = ops.sigmoid(self.drop(S_F + H_F + self.bias, training=training))
        if self.mixes == "raw":
            S_F, H_F = S, H
        elif self.mixes == "normalized":
            S_F = ops.cast(self.token_norm(S), F.dtype)
            H_F = ops.cast(self.context_norm(H), F.dtype)
        G = H_F + F * (S_F - H_F)  # F * S_F + (1 - F) * H_F with one product less
        return (G, F) if return_gate else G

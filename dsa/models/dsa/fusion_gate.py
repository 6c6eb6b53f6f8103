"""Fusion gate of DSA."""

from typing import Any

import keras
from keras import ops

from dsa.backends.layer_normalization import LayerNormalization
from dsa.layers.argument_checks import check_choice
from dsa.layers.masks import Tensor
from dsa.layers.normalized_dense import NormalizedDense
from dsa.seeds import derived_seed

GATES = ("projected", "raw", "normalized")


@keras.saving.register_keras_serializable(package="dsa")
class FusionGate(keras.layers.Layer):
    """Fusion gate of DSA: a gated sum of projected tokens and projected contexts.

        S^F = LN(S W^S);  H^F = LN(H W^H)
        F = sigmoid(Dropout(S^F + H^F + b^F))
        G = F * S^F + (1 - F) * H^F

    Operates on each token independently, so padding does not affect real tokens.

    Args:
        units: integer, number of output features.
        dropout: dropout rate of the logits of the gate.
        layer_norm: whether to apply layer normalization (LN) to S^F and H^F.
        mixes: terms of the gated sum. "projected" is the gate of the paper. "raw" is
            the gate of DiSAN, `G = F * S + (1 - F) * H`, a baseline of the paper.
            "normalized" is `G = F * LN(S) + (1 - F) * LN(H)`, an ablation that is not
            in the papers: its terms have the scale of "projected", but no projections.
            "raw" and "normalized" require S and H with `units` features.
        seed: integer from which the seed of the dropout is derived; `None` for an
            unseeded dropout.

    Call arguments:
        S: tensor of the tokens before attention, `(B, L, D_in)`.
        H: tensor of the context of each token, `(B, L, units)`.
        return_gate: whether to also return F.

    Returns: tensor G `(B, L, units)`. With `return_gate=True`, a tuple of G and F, both
        `(B, L, units)`. F = 1 selects the token, F = 0 its context.

    Raises: `ValueError` if `mixes` is unknown, or if the inputs of "raw" or
        "normalized" do not have `units` features.

    Reference: Im & Cho 2017, section 4.2.3, equations 11 and 12. The last paragraph of
    the section describes "raw".

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
        check_choice("mixes", mixes, GATES)
        self.units = units
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.mixes = mixes
        self.seed = seed

    def build(self, S_shape, H_shape):  # pyright: ignore[reportIncompatibleMethodOverride]
        if self.mixes != "projected" and not S_shape[-1] == H_shape[-1] == self.units:
            raise ValueError(
                f"With mixes='{self.mixes}', `units` must equal the feature size of "
                f"both inputs. Received: units={self.units}, tokens of shape "
                f"{S_shape}, context of shape {H_shape}"
            )
        self.token_projection = NormalizedDense(
            self.units,
            use_bias=False,
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="token_projection",
        )
        self.token_projection.build(S_shape)
        self.context_projection = NormalizedDense(
            self.units,
            use_bias=False,
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="context_projection",
        )
        self.context_projection.build(H_shape)
        self.bias = self.add_weight(
            shape=(self.units,), initializer="zeros", name="bias"
        )
        if self.mixes == "normalized":
            self.token_norm = LayerNormalization(
                epsilon=1e-5, dtype="float32", name="token_norm"
            )
            self.token_norm.build(S_shape)
            self.context_norm = LayerNormalization(
                epsilon=1e-5, dtype="float32", name="context_norm"
            )
            self.context_norm.build(H_shape)
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "gate"),
            dtype=self.dtype_policy,
        )

    def call(
        self,
        S: Tensor,
        H: Tensor,
        training: bool | None = None,
        return_gate: bool = False,
    ):
        # (B, L, units) each
        S_F = self.token_projection(S)
        H_F = self.context_projection(H)
        F = ops.sigmoid(self.drop(S_F + H_F + self.bias, training=training))
        if self.mixes == "raw":
            S_F = S
            H_F = H
        elif self.mixes == "normalized":
            S_F = ops.cast(self.token_norm(S), F.dtype)
            H_F = ops.cast(self.context_norm(H), F.dtype)
        G = H_F + F * (S_F - H_F)  # equals F * S_F + (1 - F) * H_F
        return (G, F) if return_gate else G

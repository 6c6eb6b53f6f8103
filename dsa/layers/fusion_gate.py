"""Gates that mix a token with what it attended to, feature by feature."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.normalized_dense import NormalizedDense
from dsa.seeds import derived_seed


def make_gate_map(gate):
    """The `TokenMap` of a gate's values `(B, L, D)`."""
    return TokenMap(
        "gate", MapKind.TOKEN_BY_FEATURE, gate, note="1: the word, 0: its context"
    )


@keras.saving.register_keras_serializable(package="dsa")
class FusionGate(keras.layers.Layer):
    """DSA's gate: a gated sum of the *projected* token and the *projected* context.

        S^F = LN(S W^S);  H^F = LN(H W^H)
        F = sigmoid(Dropout(S^F + H^F + b^F))
        G = F * S^F + (1 - F) * H^F

    Works on each token by itself, so padding cannot leak through it.

    Args:
        units: features D of the output.
        dropout: dropped share of the gate's logits.
        layer_norm: `False` leaves out both LN.
        projection_bias: whether both maps have a bias besides the gate's.
        input_dropout: dropped share of the input of both maps.
        l2: decay of both matrices, see `NormalizedDense`.
        seed: seed of the dropouts; `None` for unseeded ones.

    Call arguments:
        tokens: S, tensor `(B, L, D_in)`, the tokens before attention.
        context: H, tensor `(B, L, D_in)`, what they attended to.
        return_gate: whether to return F as well.

    Returns: G, tensor `(B, L, units)`; with `return_gate` a pair of it and F, of the
        same shape: 1 keeps the token, 0 takes the context.

    Reference: Im & Cho 2017, section 4.2.3, equations 11 and 12.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> mixed, gate = FusionGate(6)(x, 2 * x, return_gate=True)
        >>> tuple(mixed.shape), tuple(gate.shape)
        ((2, 5, 6), (2, 5, 6))
    """

    def __init__(
        self,
        units,
        dropout=0.0,
        layer_norm=True,
        projection_bias=False,
        input_dropout=0.0,
        l2=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.projection_bias = projection_bias
        self.input_dropout = input_dropout
        self.l2 = l2
        self.seed = seed

    def build(self, tokens_shape, context_shape):
        def projection(name, shape):
            layer = NormalizedDense(
                self.units,
                use_bias=self.projection_bias,
                layer_norm=self.layer_norm,
                dropout=self.input_dropout,
                l2=self.l2,
                seed=derived_seed(self.seed, name),
                dtype=self.dtype_policy,
                name=name,
            )
            layer.build(shape)
            return layer

        self.token_projection = projection("token_projection", tokens_shape)
        self.context_projection = projection("context_projection", context_shape)
        self.bias = self.add_weight(
            shape=(self.units,), initializer="zeros", name="bias"
        )
        self.drop = keras.layers.Dropout(
            self.dropout, seed=derived_seed(self.seed, "gate"), dtype=self.dtype_policy
        )

    def choose_inputs(self, tokens, context, projected_tokens, projected_context):
        """The two tensors that the gate mixes."""
        return projected_tokens, projected_context

    def call(self, tokens, context, training=None, return_gate=False):
        # both (B, L, units): S^F and H^F
        projected_tokens = self.token_projection(tokens, training=training)
        projected_context = self.context_projection(context, training=training)
        # (B, L, units): F
        logits = projected_tokens + projected_context + self.bias
        gate = ops.sigmoid(self.drop(logits, training=training))
        # (B, L, units): G, equation 12 with one product
        token, context = self.choose_inputs(
            tokens, context, projected_tokens, projected_context
        )
        output = context + gate * (token - context)
        return (output, gate) if return_gate else output


@keras.saving.register_keras_serializable(package="dsa")
class RawFusionGate(FusionGate):
    """DiSAN's gate: a gated sum of the *raw* token and the *raw* context.

        F = sigmoid(Dropout(LN(S W^S) + LN(H W^H) + b^F))
        G = F * S + (1 - F) * H

    The same weights as `FusionGate`, but only F is made from them. DiSAN has no LN
    (`layer_norm=False`), and its released code has a bias in both maps as well as b^F
    (`projection_bias=True`). `units` must be the feature size of both inputs.

    Reference: Shen et al. 2018, https://arxiv.org/abs/1709.04696, fusion gate of DiSA;
    contrasted with DSA's in Im & Cho 2017, section 4.2.3, last paragraph.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(RawFusionGate(8)(x, 2 * x).shape)
        (2, 5, 8)
    """

    def build(self, tokens_shape, context_shape):
        if not tokens_shape[-1] == context_shape[-1] == self.units:
            raise ValueError(
                "A raw gate needs `units` equal to the feature size of both inputs. "
                f"Received: units={self.units}, tokens of shape {tokens_shape}, "
                f"context of shape {context_shape}"
            )
        super().build(tokens_shape, context_shape)

    def choose_inputs(self, tokens, context, projected_tokens, projected_context):
        return tokens, context

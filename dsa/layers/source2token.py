"""Source2token self-attention, and the sentence pooling of DSA."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.attention_maps import call_layer
from dsa.layers.masks import Mask, Tensor, clear_padding
from dsa.layers.normalized_dense import NormalizedDense
from dsa.layers.pooling import Pooling, make_max_pooling_map, max_pool


@keras.saving.register_keras_serializable(package="dsa")
class Source2Token(Pooling):
    """Multi-dimensional source2token self-attention: pooling with a weight per feature.

        l(u_i) = LN(ELU(LN(u_i W_1 + b_1)) W_2 + b_2)
        s = sum_i softmax_i(l(u_i)) * u_i

    The softmax is over the tokens, separately for each feature. The weights of padding
    are 0, so the vector of a sentence without real tokens is 0.

    Args:
        layer_norm: whether to apply both layer normalizations (LN).

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor u `(B, L, D)`.

    Returns: tensor s `(B, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `source2token`: attention weights, float32 `(B, L, D)`. The weights
        of each feature sum to 1 over the tokens.

    Reference: Im & Cho 2017, section 4.2.5, equations 14 to 16, after Shen et al. 2018.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> vector, (weights,) = Source2Token()(x, return_attention=True)
        >>> tuple(vector.shape), tuple(weights.values.shape)
        ((2, 8), (2, 5, 8))
    """

    def __init__(self, layer_norm: bool = True, **kwargs: Any):
        super().__init__(**kwargs)
        self.layer_norm = layer_norm

    def build(self, input_shape):
        self.hidden = NormalizedDense(
            input_shape[-1],
            activation="elu",
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.hidden.build(input_shape)
        self.logits = NormalizedDense(
            input_shape[-1],
            layer_norm=self.layer_norm,
            dtype=self.dtype_policy,
            name="logits",
        )
        self.logits.build(input_shape)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, D) each; the logits are l
        hidden = self.hidden(x, training=training)
        logits = self.logits(hidden, training=training)
        # (B, L, D): softmax over tokens
        feature_mask = None if mask is None else mask[:, :, None]
        attention = self.softmax(logits, mask=feature_mask)
        x = clear_padding(x, mask)
        # (B, D): s
        vector = ops.sum(ops.cast(attention, x.dtype) * x, axis=1)
        if not return_attention:
            return vector
        token_map = TokenMap(
            "source2token",
            MapKind.TOKEN_BY_FEATURE,
            attention,
            label="source2token weight",
        )
        return vector, [token_map]


def pool_tokens(
    tokens: Tensor,
    mask: Mask,
    source2token: Source2Token | None = None,
    maximum: bool = True,
    maps: list[TokenMap] | None = None,
) -> Tensor:
    """Pools token vectors to sentence vectors: `[source2token(U); max_i U_i]`.

    Args:
        tokens: tensor U `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token, or `None`.
        source2token: `Source2Token` layer; `None` to omit source2token pooling.
        maximum: whether to include max pooling.
        maps: list to which the `TokenMap`s are appended; `None` to skip their
            computation.

    Returns: tensor `(B, 2 D)`, or `(B, D)` with a single pooling.

    Reference: Im & Cho 2017, section 4.2.5.
    """
    pooled = []
    if source2token is not None:
        # (B, D): s
        pooled.append(call_layer(source2token, maps, tokens, mask=mask))
    if maximum:
        # (B, D): m
        pooled.append(max_pool(tokens, mask))
        if maps is not None:
            maps.append(make_max_pooling_map(tokens, mask))
    return ops.concatenate(pooled, axis=-1)

"""Multi-dimensional source2token self-attention: tokens to one sentence vector; and its
join with a maximum, as DSA pools."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap, call_layer
from dsa.layers.masks import Mask, Tensor, clear_padding
from dsa.layers.normalized_dense import NormalizedDense
from dsa.layers.pooling import Pooling, make_max_pooling_map, max_pool


@keras.saving.register_keras_serializable(package="dsa")
class Source2Token(Pooling):
    """A weighted sum of the tokens, with weights of their own for every feature.

        l(u_i) = LN(ELU(LN(u_i W_1 + b_1)) W_2 + b_2)
        s = sum_i softmax_i(l(u_i)) * u_i

    The softmax runs over the tokens; padding gets weight 0, and a sentence of only
    padding the vector 0.

    Args:
        layer_norm: `False` leaves out both LN.

    Call arguments, beside those of `MaskedLayer`:
        x: u, tensor `(B, L, D)`.

    Returns: s, tensor `(B, D)`. `TokenMap`: `source2token` `(B, L, D)`: the weights,
        which sum to 1 over the tokens, float32.

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
        self.hidden, self.logits = self.make_maps(input_shape[-1])
        self.hidden.build(input_shape)
        self.logits.build(input_shape)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def make_maps(self, features: int) -> list[NormalizedDense]:
        """The maps of W_1 and W_2, without weights."""
        return [
            NormalizedDense(
                features,
                activation,
                layer_norm=self.layer_norm,
                dtype=self.dtype_policy,
                name=name,
            )
            for name, activation in (("hidden", "elu"), ("logits", None))
        ]

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        # (B, L, D)
        logits = self.logits(self.hidden(x, training=training), training=training)
        # (B, L, D): the weights
        visible = None if mask is None else mask[:, :, None]
        attention = self.softmax(logits, mask=visible)
        x = clear_padding(x, mask)
        # (B, D): s
        vector = ops.sum(ops.cast(attention, x.dtype) * x, axis=1)
        if not return_attention:
            return vector
        kind, label = MapKind.TOKEN_BY_FEATURE, "source2token weight"
        return vector, [TokenMap("source2token", kind, attention, label=label)]


def pool_tokens(
    tokens: Tensor,
    mask: Mask,
    source2token: Source2Token | None = None,
    maximum: bool = True,
    maps: list[TokenMap] | None = None,
) -> Tensor:
    """`[source2token(U); max_i U_i]`, or one of the two.

    Args:
        tokens, mask: U, tensor `(B, L, D)`, and its mask, see `MaskedLayer`.
        source2token: `None` to leave it out.
        maximum: whether the maximum is taken.
        maps: see `call_layer`.

    Returns: tensor `(B, D)`, or `(B, 2 D)` with both.

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

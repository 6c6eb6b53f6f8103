"""DiSAN's multi-dimensional attentions: token2token and source2token."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import (
    LOOKS_AT,
    Mask,
    MaskedLayer,
    Tensor,
    clear_padding,
    directional_mask,
    tensor_shape,
)
from dsa.layers.normalized_dense import NormalizedDense
from dsa.layers.source2token import Source2Token
from dsa.seeds import derived_seed

FEATURES_AT_ONCE = 100  # a third of the memory, and faster: less falls out of caches
LARGEST_SCALE = 30.0  # float32 can hold squares of sums of exp(30), as gradients are


def attend_by_feature(
    looking: Tensor, looked_at: Tensor, x: Tensor, visible: Tensor, scale: float
) -> tuple[Tensor, Tensor]:
    """The mathematics of `Token2Token`, as the paper writes it.

        f_ij = c tanh((looking_i + looked_at_j) / c) + M_ij
        P_ij = softmax_j(f_ij), per feature;  s_i = sum_j P_ij * x_j

    Args:
        looking, looked_at, x: W_2 x_i + b, W_1 x_j and x, tensors `(B, L, D)`.
        visible: M, bool `(B or 1, L, L, 1)`, True where token i may look at token j.
        scale: c.

    Returns: s, `(B, L, D)`, and P, float32 `(B, L, L, D)`: 0 where nothing is seen.
    """
    logits = scale * ops.tanh((looking[:, :, None] + looked_at[:, None]) / scale)
    softmax = keras.layers.Softmax(axis=2, dtype="float32")
    attention = softmax(logits, mask=ops.broadcast_to(visible, tensor_shape(logits)))
    context = ops.sum(attention * ops.cast(x, "float32")[:, None], axis=2)
    return ops.cast(context, x.dtype), attention


def attend_in_parts(
    looking: Tensor, looked_at: Tensor, x: Tensor, visible: Tensor, scale: float
) -> Tensor:
    """The s of `attend_by_feature`, with less memory.

    The logits are bounded by c, so the softmax needs no maximum: with e = exp(f) of
    what is seen, s_i = sum_j e_ij * x_j / sum_j e_ij. These tensors `(B, L, L, D)` are
    computed for `FEATURES_AT_ONCE` features at a time. In training they are not kept,
    but computed again for the backward pass (`keras.remat`).
    """

    # `visible` is no argument: TensorFlow would ask for its gradient
    def attend(looking, looked_at, x):
        logits = (looking[:, :, None] + looked_at[:, None]) / scale
        logits = scale * ops.cast(ops.tanh(logits), "float32")
        seen = ops.exp(logits) * ops.cast(visible, "float32")
        total = ops.sum(seen, axis=2)
        total = ops.where(ops.equal(total, 0), 1, total)
        context = ops.sum(seen * ops.cast(x, "float32")[:, None], axis=2)
        return ops.cast(context / total, x.dtype)

    attend, parts = keras.remat(attend), []
    for start in range(0, x.shape[-1], FEATURES_AT_ONCE):
        some = slice(start, start + FEATURES_AT_ONCE)
        # (B, L, FEATURES_AT_ONCE)
        parts.append(attend(looking[..., some], looked_at[..., some], x[..., some]))
    return ops.concatenate(parts, axis=-1)


@keras.saving.register_keras_serializable(package="dsa")
class Token2Token(MaskedLayer):
    """Each token looks at other tokens, with weights of their own for every feature.

        f(x_i, x_j) = c tanh((W_1 x_j + W_2 x_i + b) / c) + M_ij
        P_ij = softmax_j(f(x_i, x_j)),  per feature
        s_i = sum_j P_ij * x_j

    i is the token that looks, j the one that is looked at. Padding gets weight 0; a
    token with nothing to look at (the first one forward, the last one backward, the
    only token of a sentence) gets the context 0. `attend_by_feature` computes it where
    P is wanted, else `attend_in_parts`.

    Args:
        looks_at: "forward" (the tokens before), "backward" (those after) or "others"
            (all but the token itself: without directions).
        scale: c, the bound of the logits, at most `LARGEST_SCALE`.
        dropout: dropped share of x before W_1 and W_2; the sum takes x itself.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`.

    Returns: s, tensor `(B, L, D)`. `TokenMap`: `feature_attention` `(B, L, L, D)`: P,
        float32.

    Raises: `ValueError` for an unknown `looks_at` and a `scale` out of bounds.

    Reference: Shen et al. 2018, https://arxiv.org/abs/1709.04696, section 3.3,
    equations 11 and 15 to 18; their i is the token that is looked at. The dropout is
    that of the released code.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> context, (attention,) = Token2Token("forward")(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 8), (2, 5, 5, 8))
    """

    def __init__(
        self,
        looks_at: str,
        scale: float = 5.0,
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("looks_at", looks_at, LOOKS_AT)
        if not 0 < scale <= LARGEST_SCALE:
            raise ValueError(
                f"`scale` must be above 0 and at most {LARGEST_SCALE}. "
                f"Received: {scale}"
            )
        self.looks_at = looks_at
        self.scale = scale
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        def projection(name, use_bias):
            form, units = keras.layers.Dense, input_shape[-1]
            return self.build_part(form, name, input_shape, units, use_bias=use_bias)

        self.drop = self.make_dropout("token2token")
        self.looked_at = projection("looked_at", use_bias=False)
        self.looking = projection("looking", use_bias=True)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        dropped = self.drop(x, training=training)
        visible = self._find_visible(tensor_shape(x)[1], mask)
        # both (B, L, D): W_2 x_i + b and W_1 x_j
        looking, looked_at = self.looking(dropped), self.looked_at(dropped)
        x, looked_at = clear_padding(x, mask), clear_padding(looked_at, mask)
        terms = looking, looked_at, x, visible, self.scale
        if not return_attention:
            return attend_in_parts(*terms)
        context, attention = attend_by_feature(*terms)
        kind = MapKind.TOKEN_OVER_TOKEN_BY_FEATURE
        new_map = TokenMap("feature_attention", kind, attention, label="attention")
        return context, [new_map]

    def _find_visible(self, length, mask):
        """M: bool `(B or 1, L, L, 1)`, True where a token may look."""
        seen = directional_mask(length, self.looks_at)[None]
        if mask is not None:
            seen = ops.logical_and(seen, mask[:, None, :])
        return seen[..., None]


@keras.saving.register_keras_serializable(package="dsa")
class RegularizedSource2Token(Source2Token):
    """`Source2Token` as DiSAN's: without LN, with dropout before both maps and decay.

        l(u_i) = W_2 Dropout(activation(W_1 Dropout(u_i) + b_1)) + b_2

    Args:
        activation: name of the hidden map's Keras activation.
        dropout: dropped share of the input of both maps.
        l2: decay of both matrices, see `NormalizedDense`.

    Reference: Shen et al. 2018, section 3.2, and its released code.
    """

    def __init__(
        self,
        activation: str = "elu",
        dropout: float = 0.0,
        l2: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(layer_norm=False, **kwargs)
        self.activation = activation
        self.dropout = dropout
        self.l2 = l2
        self.seed = seed

    def make_maps(self, features: int) -> list[NormalizedDense]:
        return [
            NormalizedDense(
                features,
                activation,
                layer_norm=False,
                dropout=self.dropout,
                l2=self.l2,
                seed=derived_seed(self.seed, name),
                dtype=self.dtype_policy,
                name=name,
            )
            for name, activation in (("hidden", self.activation), ("logits", None))
        ]

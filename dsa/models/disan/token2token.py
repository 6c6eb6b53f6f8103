"""Multi-dimensional token2token self-attention, DiSAN's."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import DIRECTIONS, MaskedLayer, directional_mask
from dsa.seeds import derived_seed

LOOKS_AT = (*DIRECTIONS, "others")
FEATURES_AT_ONCE = 100  # a third of the memory, and faster: less falls out of caches
LARGEST_SCALE = 30.0  # float32 can hold squares of sums of exp(30), as gradients are


@keras.saving.register_keras_serializable(package="dsa")
class Token2Token(MaskedLayer):
    """Each token looks at other tokens, with weights of their own for every feature.

        f(x_i, x_j) = c tanh((W_1 x_j + W_2 x_i + b) / c) + M_ij
        P_ij = softmax_j(f(x_i, x_j)),  per feature
        s_i = sum_j P_ij * x_j

    i is the token that looks, j the one that is looked at. Padding gets weight 0; a
    token with nothing to look at (the first one forward, the last one backward, the
    only token of a sentence) gets the context 0.

    The logits are bounded by c, so the softmax needs no maximum: with e = exp(f) of
    what is seen, s_i = sum_j e_ij * x_j / sum_j e_ij. These tensors `(B, L, L, D)` are
    computed for `FEATURES_AT_ONCE` features at a time. In training they are not kept,
    but computed again for the backward pass (`keras.remat`).

    Args:
        looks_at: "forward" (the tokens before), "backward" (those after) or "others"
            (all but the token itself: without directions).
        scale: c, the bound of the logits, at most `LARGEST_SCALE`.
        dropout: dropped share of x before W_1 and W_2; the sum takes x itself.
        seed: seed of the dropout; `None` for an unseeded one.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return P as well.

    Returns: tensor `(B, L, D)`; with `return_attention` a pair of it and a list of one
        `TokenMap`, `feature_attention` `(B, L, L, D)`: P, float32.

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

    def __init__(self, looks_at, scale=5.0, dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        if looks_at not in LOOKS_AT:
            raise ValueError(
                f"`looks_at` must be one of {LOOKS_AT}. Received: {looks_at!r}"
            )
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
            layer = keras.layers.Dense(
                input_shape[-1], use_bias=use_bias, dtype=self.dtype_policy, name=name
            )
            layer.build(input_shape)
            return layer

        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "token2token"),
            dtype=self.dtype_policy,
        )
        self.looked_at = projection("looked_at", use_bias=False)
        self.looking = projection("looking", use_bias=True)

    def call(self, x, mask=None, training=None, return_attention=False):
        dropped = self.drop(x, training=training)
        # (B or 1, L, L, 1)
        visible = self._find_visible(ops.shape(x)[1], mask)
        # both (B, L, D): W_2 x_i + b and W_1 x_j
        looking, looked_at = self.looking(dropped), self.looked_at(dropped)
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(mask[:, :, None], x, 0)
            looked_at = ops.where(mask[:, :, None], looked_at, 0)
        if return_attention:
            # (B, L, L, D) and (B, L, D)
            seen, total = self._exponentiate(looking, looked_at, visible)
            attention = TokenMap(
                "feature_attention",
                MapKind.TOKEN_OVER_TOKEN_BY_FEATURE,
                seen / total[:, :, None],
                label="attention",
            )
            return self._sum_context(seen, total, x), [attention]

        def context(looking, looked_at, x):
            # `visible` is no argument: TensorFlow would ask for its gradient
            return self._sum_context(
                *self._exponentiate(looking, looked_at, visible), x
            )

        context, parts = keras.remat(context), []
        # each (B, L, FEATURES_AT_ONCE)
        for start in range(0, x.shape[-1], FEATURES_AT_ONCE):
            some = slice(start, start + FEATURES_AT_ONCE)
            parts.append(
                context(looking[..., some], looked_at[..., some], x[..., some])
            )
        return ops.concatenate(parts, axis=-1)

    def _find_visible(self, length, mask):
        """Who may look at whom: bool `(B or 1, L, L, 1)`."""
        if self.looks_at == "others":
            positions = ops.arange(length)
            seen = ops.not_equal(positions[:, None], positions[None, :])
        else:
            seen = directional_mask(length, self.looks_at)
        seen = seen[None]
        if mask is not None:
            seen = ops.logical_and(seen, mask[:, None, :])
        return seen[..., None]

    def _exponentiate(self, looking, looked_at, visible):
        """e `(B, L, L, D)`, 0 where nothing is seen, and its sums over the tokens that
        are looked at `(B, L, D)`, 1 where they are 0; in float32."""
        # (B, L, L, D): f without M
        logits = (looking[:, :, None] + looked_at[:, None]) / self.scale
        logits = self.scale * ops.cast(ops.tanh(logits), "float32")
        seen = ops.exp(logits) * ops.cast(visible, "float32")
        total = ops.sum(seen, axis=2)
        return seen, ops.where(ops.equal(total, 0), 1, total)

    def _sum_context(self, seen, total, x):
        """s `(B, L, D)`."""
        context = ops.sum(seen * ops.cast(x, "float32")[:, None], axis=2)
        return ops.cast(context / total, x.dtype)

"""DiSAN's multi-dimensional self-attention: token2token and source2token."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.masks import (
    MASK_DIRECTIONS,
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

FEATURES_AT_ONCE = 100  # for 300: a third of the memory, and fewer cache misses
MAX_SCALE = 30.0  # gradients contain squares of sums of exp(scale) in float32


def attend_by_feature(
    queries: Tensor, keys: Tensor, x: Tensor, attention_mask: Tensor, scale: float
) -> tuple[Tensor, Tensor]:
    """Computes token2token attention by the equations of the paper.

        f_ij = c tanh((query_i + key_j) / c) + M_ij
        P_ij = softmax_j(f_ij), per feature
        s_i = sum_j P_ij * x_j

    Args:
        queries: W_2 x_i + b, tensor `(B, L, D)`.
        keys: W_1 x_j, tensor `(B, L, D)`.
        x: tensor `(B, L, D)`.
        attention_mask: M, bool tensor `(B or 1, L, L, 1)`, True if token i may attend
            to token j.
        scale: c.

    Returns: tuple of s, `(B, L, D)`, and P, float32 `(B, L, L, D)`. Both are 0 for a
        token that may not attend to any token.
    """
    # (B, L, L, D): f without M
    logits = scale * ops.tanh((queries[:, :, None] + keys[:, None]) / scale)
    # (B, L, L, D): P
    softmax = keras.layers.Softmax(axis=2, dtype="float32")
    mask = ops.broadcast_to(attention_mask, tensor_shape(logits))
    attention = softmax(logits, mask=mask)
    # (B, L, D): s
    context = ops.sum(attention * ops.cast(x, "float32")[:, None], axis=2)
    return ops.cast(context, x.dtype), attention


def attend_in_parts(
    queries: Tensor, keys: Tensor, x: Tensor, attention_mask: Tensor, scale: float
) -> Tensor:
    """Computes s of `attend_by_feature` with less memory.

    The logits are bounded by c, so the softmax does not have to subtract the maximum:
    with e = exp(f), s_i = sum_j e_ij * x_j / sum_j e_ij. The tensors `(B, L, L, D)` are
    computed for `FEATURES_AT_ONCE` features at a time and recomputed in the backward
    pass (`keras.remat`).

    Args: see `attend_by_feature`.

    Returns: s, tensor `(B, L, D)`.
    """

    # The mask is a closure variable: TensorFlow computes gradients of all arguments.
    def attend(queries, keys, x):
        # (B, L, L, FEATURES_AT_ONCE): f, then exp(f)
        logits = (queries[:, :, None] + keys[:, None]) / scale
        logits = scale * ops.cast(ops.tanh(logits), "float32")
        weights = ops.exp(logits) * ops.cast(attention_mask, "float32")
        # (B, L, FEATURES_AT_ONCE)
        total = ops.sum(weights, axis=2)
        total = ops.where(ops.equal(total, 0), 1, total)
        context = ops.sum(weights * ops.cast(x, "float32")[:, None], axis=2)
        return ops.cast(context / total, x.dtype)

    attend = keras.remat(attend)
    contexts = []
    for start in range(0, x.shape[-1], FEATURES_AT_ONCE):
        part = slice(start, start + FEATURES_AT_ONCE)
        contexts.append(attend(queries[..., part], keys[..., part], x[..., part]))
    # (B, L, D): s
    return ops.concatenate(contexts, axis=-1)


@keras.saving.register_keras_serializable(package="dsa")
class Token2Token(MaskedLayer):
    """Multi-dimensional token2token self-attention: a weight per feature.

        f(x_i, x_j) = c tanh((W_1 x_j + W_2 x_i + b) / c) + M_ij
        P_ij = softmax_j(f(x_i, x_j)),  per feature
        s_i = sum_j P_ij * x_j

    i is the query token, j the key token. Padding has weight 0. For a token that may
    not attend to any token (the first token forward, the last token backward, the only
    token of a sentence), s_i is 0. If P is requested, `attend_by_feature` computes s,
    else `attend_in_parts`.

    Args:
        direction: "forward" (attends to preceding tokens), "backward" (attends to
            following tokens) or "others" (attends to all tokens except itself).
        scale: c, the bound of the logits, at most `MAX_SCALE`.
        dropout: dropout rate of the inputs of W_1 and W_2; the sum over x_j has no
            dropout.
        seed: integer from which the seed of the dropout is derived; `None` for an
            unseeded dropout.

    Call arguments (in addition to those of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: s, tensor `(B, L, D)`. `TokenMap`: `feature_attention` `(B, L, L, D)`, P,
        float32.

    Raises: `ValueError` for an unknown `direction` or a `scale` out of bounds.

    Reference: Shen et al. 2018, https://arxiv.org/abs/1709.04696, section 3.3,
    equations 11 and 15 to 18, in which i is the key token. The dropout follows the
    released code.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> context, (attention,) = Token2Token("forward")(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 8), (2, 5, 5, 8))
    """

    def __init__(
        self,
        direction: str,
        scale: float = 5.0,
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("direction", direction, MASK_DIRECTIONS)
        if not 0 < scale <= MAX_SCALE:
            raise ValueError(
                f"`scale` must be above 0 and at most {MAX_SCALE}. Received: {scale}"
            )
        self.direction = direction
        self.scale = scale
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "token2token"),
            dtype=self.dtype_policy,
        )
        # W_1 and W_2. The attributes' names are part of the paths of saved weights.
        self.looked_at = keras.layers.Dense(
            input_shape[-1], use_bias=False, dtype=self.dtype_policy, name="looked_at"
        )
        self.looked_at.build(input_shape)
        self.looking = keras.layers.Dense(
            input_shape[-1], dtype=self.dtype_policy, name="looking"
        )
        self.looking.build(input_shape)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        # (B, L, D)
        dropped = self.drop(x, training=training)
        # (B, L, D): W_2 x_i + b
        queries = self.looking(dropped)
        # (B, L, D): W_1 x_j
        keys = clear_padding(self.looked_at(dropped), mask)
        x = clear_padding(x, mask)
        # (B or 1, L, L, 1): M
        attention_mask = directional_mask(tensor_shape(x)[1], self.direction)
        attention_mask = attention_mask[None, :, :, None]
        if mask is not None:
            attention_mask = ops.logical_and(attention_mask, mask[:, None, :, None])
        if not return_attention:
            return attend_in_parts(queries, keys, x, attention_mask, self.scale)
        # (B, L, D) and (B, L, L, D): s and P
        context, attention = attend_by_feature(
            queries, keys, x, attention_mask, self.scale
        )
        token_map = TokenMap(
            "feature_attention",
            MapKind.TOKEN_OVER_TOKEN_BY_FEATURE,
            attention,
            label="attention",
        )
        return context, [token_map]


@keras.saving.register_keras_serializable(package="dsa")
class RegularizedSource2Token(Source2Token):
    """DiSAN's source2token self-attention, with dropout and weight decay instead of LN.

        l(u_i) = W_2 Dropout(activation(W_1 Dropout(u_i) + b_1)) + b_2
        s = sum_i softmax_i(l(u_i)) * u_i

    Args:
        activation: name of the Keras activation of the hidden layer.
        dropout: dropout rate of the inputs of W_1 and W_2.
        l2: weight decay of both matrices, see `NormalizedDense`.
        seed: integer from which the seeds of the dropouts are derived; `None` for
            unseeded dropouts.

    Call arguments, Returns: see `Source2Token`.

    Reference: Shen et al. 2018, section 3.2, and the released code.
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

    def build(self, input_shape):
        self.hidden = NormalizedDense(
            input_shape[-1],
            activation=self.activation,
            layer_norm=False,
            dropout=self.dropout,
            l2=self.l2,
            seed=derived_seed(self.seed, "hidden"),
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.hidden.build(input_shape)
        self.logits = NormalizedDense(
            input_shape[-1],
            layer_norm=False,
            dropout=self.dropout,
            l2=self.l2,
            seed=derived_seed(self.seed, "logits"),
            dtype=self.dtype_policy,
            name="logits",
        )
        self.logits.build(input_shape)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

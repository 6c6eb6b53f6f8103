"""Multi-dimensional self-attention of DiSAN: token2token and source2token."""

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

# with 300 features, 3 parts need a third of the memory and cause fewer cache misses
FEATURES_PER_PART = 100
MAX_SCALE = 30.0  # the gradients square sums of exp(scale), which must fit float32


def attend_by_feature(
    queries: Tensor, keys: Tensor, x: Tensor, attention_mask: Tensor, scale: float
) -> tuple[Tensor, Tensor]:
    """Computes token2token attention by the equations of the paper.

        f_ij = c tanh((query_i + key_j) / c) + M_ij
        P_ij = softmax_j(f_ij), per feature
        s_i = sum_j P_ij * x_j

    Args:
        queries: tensor of W_2 x_i + b, `(B, L, D)`.
        keys: tensor of W_1 x_j, `(B, L, D)`.
        x: tensor `(B, L, D)`.
        attention_mask: bool tensor M `(B, L, L, 1)` or `(1, L, L, 1)`, True if token i
            may attend to token j.
        scale: bound c of the logits.

    Returns: tuple of s `(B, L, D)` and P, float32 `(B, L, L, D)`. Both are 0 for a
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

        e_ij = exp(f_ij)
        s_i = (sum_j e_ij * x_j) / (sum_j e_ij)

    The features are split into parts of `FEATURES_PER_PART` features. Tensors with the
    shape `(B, L, L, FEATURES_PER_PART)` are computed for one part at a time, and
    recomputed in the backward pass (`keras.remat`).

    Args: see `attend_by_feature`.

    Returns: tensor s `(B, L, D)`.
    """

    # The mask is not an argument, because TensorFlow would compute its gradient.
    def attend(queries: Tensor, keys: Tensor, x: Tensor) -> Tensor:
        # (B, L, L, FEATURES_PER_PART): f, then e
        logits = (queries[:, :, None] + keys[:, None]) / scale
        logits = scale * ops.cast(ops.tanh(logits), "float32")
        weights = ops.exp(logits) * ops.cast(attention_mask, "float32")
        # (B, L, FEATURES_PER_PART)
        total = ops.sum(weights, axis=2)
        total = ops.where(ops.equal(total, 0), 1, total)
        context = ops.sum(weights * ops.cast(x, "float32")[:, None], axis=2)
        return ops.cast(context / total, x.dtype)

    recomputed_attend = keras.remat(attend)
    contexts = []
    for start in range(0, x.shape[-1], FEATURES_PER_PART):
        part = slice(start, start + FEATURES_PER_PART)
        contexts.append(
            recomputed_attend(queries[..., part], keys[..., part], x[..., part])
        )
    # (B, L, D): s
    return ops.concatenate(contexts, axis=-1)


@keras.saving.register_keras_serializable(package="dsa")
class Token2Token(MaskedLayer):
    """Multi-dimensional token2token self-attention: attention with weights per feature.

        f(x_i, x_j) = c tanh((W_1 x_j + W_2 x_i + b) / c) + M_ij
        P_ij = softmax_j(f(x_i, x_j)),  per feature
        s_i = sum_j P_ij * x_j

    i is the query token, j the key token. The weights of padding are 0. For a token
    that may not attend to any token (the first token forward, the last token backward,
    the only token of a sentence), s_i is 0. With `return_attention=True`,
    `attend_by_feature` computes s, else `attend_in_parts`.

    Args:
        direction: "forward" (attends to preceding tokens), "backward" (attends to
            following tokens) or "others" (attends to all tokens except itself).
        scale: bound c of the logits, above 0 and at most `MAX_SCALE`.
        dropout: dropout rate of the inputs of W_1 and W_2. The values x_j of the sum
            have no dropout.
        seed: integer from which the seed of the dropout is derived; `None` for an
            unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor s `(B, L, D)`. With `return_attention=True`, also a list with the
        `TokenMap` `feature_attention`: P, float32 `(B, L, L, D)`.

    Raises: `ValueError` if `direction` is unknown or `scale` is out of range.

    Reference: Shen et al. 2018, https://arxiv.org/abs/1709.04696, section 3.3,
    equations 11 and 15 to 18. In the paper, i is the key token. The dropout follows the
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
        # W_1, then W_2. The attribute names are part of the paths in weight files.
        self.looked_at = keras.layers.Dense(
            input_shape[-1], use_bias=False, dtype=self.dtype_policy, name="looked_at"
        )
        self.looked_at.build(input_shape)
        self.looking = keras.layers.Dense(
            input_shape[-1], dtype=self.dtype_policy, name="looking"
        )
        self.looking.build(input_shape)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, D)
        dropped = self.drop(x, training=training)
        # (B, L, D): W_2 x_i + b
        queries = self.looking(dropped)
        # (B, L, D): W_1 x_j
        keys = clear_padding(self.looked_at(dropped), mask)
        x = clear_padding(x, mask)
        # (1, L, L, 1), then (B, L, L, 1): M
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
    """Source2token self-attention of DiSAN: dropout and weight decay instead of LN.

        l(u_i) = W_2 Dropout(activation(W_1 Dropout(u_i) + b_1)) + b_2
        s = sum_i softmax_i(l(u_i)) * u_i

    Args:
        activation: name of the Keras activation of the hidden layer.
        dropout: dropout rate of the inputs of W_1 and W_2.
        l2: coefficient of the weight decay of both matrices, see `NormalizedDense`.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

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

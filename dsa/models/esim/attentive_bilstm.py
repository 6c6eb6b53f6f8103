"""Bi-aLSTM of aESIM: a Bi-LSTM with word attention and an adaptive direction layer."""

from typing import Any

import keras
from keras import ops
from keras.layers import Dense

from dsa.explanation import MapKind, TokenMap
from dsa.layers.bilstm import BiLSTM
from dsa.layers.masks import Mask, MaskedLayer, Tensor, tensor_shape


@keras.saving.register_keras_serializable(package="dsa")
class WordAttention(MaskedLayer):
    """Scales the states of one direction by an attention weight per token.

        u_l = tanh(W f_l + b);  alpha_l = softmax_l(u_l . u_w);  s_l = alpha_l f_l

    In the paper, the weights of L tokens sum to 1, so they scale the states by 1/L on
    average.

    Args:
        rescale: whether to multiply s by the number of real tokens, which preserves the
            scale of the states.

    Call arguments:
        f: tensor of states `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all tokens are real.

    Returns: tuple of s `(B, L, D)`, 0 at padding, and alpha, float32 `(B, L)`.

    Reference: Li et al. 2019, section 2.2, equations 10 to 12.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> states, weights = WordAttention()(x)
        >>> tuple(states.shape), tuple(weights.shape)
        ((2, 5, 8), (2, 5))
    """

    def __init__(self, rescale: bool = False, **kwargs: Any):
        super().__init__(**kwargs)
        self.rescale = rescale

    def build(self, input_shape):
        # W and b
        self.hidden = Dense(
            input_shape[-1], activation="tanh", dtype=self.dtype_policy, name="hidden"
        )
        self.hidden.build(input_shape)
        # u_w
        self.context = Dense(1, use_bias=False, dtype=self.dtype_policy, name="context")
        self.context.build(input_shape)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, f: Tensor, mask: Mask = None):
        # (B, L, D)
        u = self.hidden(f)
        # (B, L): u_l . u_w, then alpha
        scores = self.context(u)[..., 0]
        alpha = self.softmax(scores, mask=mask)
        weights = alpha
        if self.rescale:
            # number of real tokens: a scalar, or (B, 1) with a mask
            if mask is None:
                length = tensor_shape(f)[1]
            else:
                length = ops.sum(mask, axis=1, keepdims=True)
            weights = alpha * ops.cast(length, alpha.dtype)
        # (B, L, D)
        s = ops.cast(weights, f.dtype)[..., None] * f
        return s, alpha


@keras.saving.register_keras_serializable(package="dsa")
class BiALSTM(MaskedLayer):
    """Bi-LSTM with word attention and an adaptive direction layer (Bi-aLSTM).

        output = g([W_F s_F + b_F; W_B s_B + b_B])

    s_F and s_B are the forward and backward states of the Bi-LSTM after
    `WordAttention`.

    Args:
        units: integer, number of output features of each direction.
        activation: name of the Keras activation g.
        share_attention: whether both directions share one `WordAttention`.
        rescale: see `WordAttention`.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D_in)`.

    Returns: tensor `(B, L, 2 units)`, 0 at padding. With `return_attention=True`, also
        a list of the `TokenMap`s `word_attention_forward` and `word_attention_backward`
        `(B, L)`.

    Reference: Li et al. 2019, section 2.2, equations 8 to 13; section 3.2 for g, which
    is SELU. The paper does not specify whether the directions share the attention.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(BiALSTM(3)(x).shape)
        (2, 5, 6)
    """

    def __init__(
        self,
        units: int,
        activation: str = "selu",
        share_attention: bool = False,
        rescale: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.activation = activation
        self.share_attention = share_attention
        self.rescale = rescale

    def build(self, input_shape):
        states_shape = (*input_shape[:-1], self.units)
        self.bilstm = BiLSTM(self.units, dtype=self.dtype_policy, name="bilstm")
        self.bilstm.build(input_shape)
        # one layer per direction, forward first; shared attention is a single layer
        self.attention = []
        self.direction = []
        for name in ("forward", "backward"):
            if name == "forward" or not self.share_attention:
                attention = WordAttention(
                    self.rescale, dtype=self.dtype_policy, name=f"attention_{name}"
                )
                attention.build(states_shape)
                self.attention.append(attention)
            direction = Dense(
                self.units, dtype=self.dtype_policy, name=f"direction_{name}"
            )
            direction.build(states_shape)
            self.direction.append(direction)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, 2 units)
        states = self.bilstm(x, mask=mask, training=training)
        # f_F and f_B, (B, L, units) each
        f_forward = states[..., : self.units]
        f_backward = states[..., self.units :]
        # s_F and s_B, (B, L, units) each; alpha of each direction, (B, L)
        attend_forward = self.attention[0]
        attend_backward = self.attention[0 if self.share_attention else 1]
        s_forward, alpha_forward = attend_forward(f_forward, mask=mask)
        s_backward, alpha_backward = attend_backward(f_backward, mask=mask)
        # (B, L, 2 units)
        joined = ops.concatenate(
            [self.direction[0](s_forward), self.direction[1](s_backward)], axis=-1
        )
        output = keras.activations.get(self.activation)(joined)
        if mask is not None:
            output = ops.where(mask[:, :, None], output, 0)
        if not return_attention:
            return output
        return output, [
            TokenMap(
                "word_attention", MapKind.TOKEN, alpha_forward, direction="forward"
            ),
            TokenMap(
                "word_attention", MapKind.TOKEN, alpha_backward, direction="backward"
            ),
        ]

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units)

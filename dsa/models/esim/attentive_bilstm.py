"""A Bi-LSTM with word attention and an adaptive direction layer, aESIM's."""

from typing import Any

import keras
from keras import ops
from keras.layers import Dense

from dsa.explanation import MapKind, TokenMap
from dsa.layers.bilstm import BiLSTM
from dsa.layers.masks import DIRECTIONS, Mask, MaskedLayer, Tensor, tensor_shape


@keras.saving.register_keras_serializable(package="dsa")
class WordAttention(MaskedLayer):
    """Multiplies the states of one direction by a weight for each token.

        u_l = tanh(W f_l + b);  alpha_l = softmax_l(u_l . u_w);  s_l = alpha_l f_l

    As the paper writes it, a state shrinks to about 1/L of itself.

    Args:
        rescale: whether to multiply s by the sentence's length, which keeps the size of
            the states.

    Call arguments, beside those of `MaskedLayer`:
        f: tensor `(B, L, D)`.

    Returns: s, tensor `(B, L, D)`, 0 at padding, and alpha, `(B, L)`, float32.

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
        features = input_shape[-1]
        self.hidden = self.build_part(Dense, "hidden", input_shape, features, "tanh")
        self.context = self.build_part(Dense, "context", input_shape, 1, use_bias=False)
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, f: Tensor, mask: Mask = None):
        # (B, L): u_l . u_w, then alpha
        scores = self.context(self.hidden(f))[..., 0]
        alpha = self.softmax(scores, mask=mask)
        weights = alpha
        if self.rescale:
            length = tensor_shape(f)[1] if mask is None else ops.sum(mask, 1, True)
            weights = alpha * ops.cast(length, alpha.dtype)
        # (B, L, D): s
        return ops.cast(weights, f.dtype)[..., None] * f, alpha


@keras.saving.register_keras_serializable(package="dsa")
class BiALSTM(MaskedLayer):
    """`g([W_F s_F + b_F; W_B s_B + b_B])`, where s_F and s_B are the states of a
    Bi-LSTM's two directions after a `WordAttention`.

    Args:
        units: features of each direction.
        activation: name of g, a Keras activation.
        share_attention: whether both directions have one `WordAttention`.
        rescale: see `WordAttention`.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D_in)`.

    Returns: tensor `(B, L, 2 units)`, 0 at padding. `TokenMap`s:
        `word_attention_forward` and `word_attention_backward` `(B, L)`.

    Reference: Li et al. 2019, section 2.2, equations 8 to 13. The paper leaves open
    whether the directions share the attention, and names g only as SELU in section 3.2.

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
        shape = (*input_shape[:-1], self.units)
        self.bilstm = self.build_part(BiLSTM, "bilstm", input_shape, self.units)
        self.attention, self.direction = [], []
        for name in DIRECTIONS:
            if not (self.share_attention and self.attention):
                form, part = WordAttention, f"attention_{name}"
                self.attention.append(self.build_part(form, part, shape, self.rescale))
            part = f"direction_{name}"
            self.direction.append(self.build_part(Dense, part, shape, self.units))

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        # (B, L, 2 units), split into f_F and f_B, (B, L, units) each
        states = self.bilstm(x, mask=mask, training=training)
        halves = (states[..., : self.units], states[..., self.units :])
        outputs, maps = [], []
        for number, (name, state) in enumerate(zip(DIRECTIONS, halves, strict=True)):
            attention = self.attention[0 if self.share_attention else number]
            # (B, L, units): s, and (B, L): alpha
            weighed, alpha = attention(state, mask=mask)
            # (B, L, units)
            outputs.append(self.direction[number](weighed))
            maps.append(TokenMap("word_attention", MapKind.TOKEN, alpha, name))
        # (B, L, 2 units)
        activation = keras.activations.get(self.activation)
        output = activation(ops.concatenate(outputs, axis=-1))
        if mask is not None:
            output = ops.where(mask[:, :, None], output, 0)
        return (output, maps) if return_attention else output

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units)

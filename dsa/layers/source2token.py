"""Multi-dimensional source2token self-attention: tokens to one sentence vector."""

import keras
from keras import ops

from dsa.layers.masked_layer import MaskedLayer
from dsa.layers.normalized_dense import NormalizedDense


@keras.saving.register_keras_serializable(package="dsa")
class Source2Token(MaskedLayer):
    """A weighted sum of the tokens, with weights of their own for every feature.

        l(u_i) = LN(ELU(LN(u_i W_1 + b_1)) W_2 + b_2)
        s = sum_i softmax_i(l(u_i)) * u_i

    The softmax runs over the tokens; padding gets weight 0, and a sentence of padding
    alone the vector 0.

    Args:
        layer_norm: `False` leaves out both LN.

    Call arguments:
        x: tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return the weights as well.

    Returns: tensor `(B, D)`; with `return_attention` a pair of it and the weights,
        `(B, L, D)`, which sum to 1 over the tokens, float32.

    Reference: Im & Cho 2017, section 4.2.5, equations 14 to 16, after Shen et al. 2018.
    """

    def __init__(self, layer_norm=True, **kwargs):
        super().__init__(**kwargs)
        self.layer_norm = layer_norm

    def build(self, input_shape):
        def projection(activation, name):
            layer = NormalizedDense(
                input_shape[-1],
                activation=activation,
                layer_norm=self.layer_norm,
                dtype=self.dtype_policy,
                name=name,
            )
            layer.build(input_shape)
            return layer

        self.hidden = projection("elu", "hidden")
        self.logits = projection(None, "logits")
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x, mask=None, return_attention=False):
        logits = self.logits(self.hidden(x))
        visible = None if mask is None else mask[:, :, None]
        attention = self.softmax(logits, mask=visible)
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(visible, x, 0)
        vector = ops.sum(ops.cast(attention, x.dtype) * x, axis=1)
        return (vector, attention) if return_attention else vector

    def get_config(self):
        return {**super().get_config(), "layer_norm": self.layer_norm}

"""Soft alignment of two sentences, ESIM's."""

import keras
from keras import ops

from dsa.layers.masks import MaskedLayer


@keras.saving.register_keras_serializable(package="dsa")
class SoftAlignment(MaskedLayer):
    """Each token gets the tokens of the other sentence that it resembles.

        e_ij = a_i . b_j
        a~_i = sum_j softmax_j(e_ij) b_j,  b~_j = sum_i softmax_i(e_ij) a_i

    Padding gets weight 0, and so does everything for a sentence of padding alone.

    Call arguments:
        a, b: tensors `(B, P, D)` and `(B, Q, D)`.
        mask_a, mask_b: bool tensors `(B, P)` and `(B, Q)`, True = real token.
        return_attention: whether to return the weights as well.

    Returns: a~, tensor `(B, P, D)`, and b~, `(B, Q, D)`; with `return_attention` the
        pair of them and a pair of weights, `(B, P, Q)` and `(B, Q, P)`, float32.

    Reference: Chen et al. 2017, section 3.2, equations 11 to 13; Li et al. 2019,
    section 2.1, equations 3 to 5.
    """

    def build(self, *input_shapes):
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(self, a, b, mask_a, mask_b, return_attention=False):
        a = ops.where(mask_a[:, :, None], a, 0)  # 0 * nan is nan
        b = ops.where(mask_b[:, :, None], b, 0)
        scores = ops.matmul(a, ops.transpose(b, (0, 2, 1)))  # (B, P, Q)
        to_b = self.softmax(scores, mask=mask_b[:, None, :])
        to_a = self.softmax(ops.transpose(scores, (0, 2, 1)), mask=mask_a[:, None, :])
        aligned = (
            ops.matmul(ops.cast(to_b, b.dtype), b),
            ops.matmul(ops.cast(to_a, a.dtype), a),
        )
        return (aligned, (to_b, to_a)) if return_attention else aligned

    def compute_output_shape(self, a_shape, b_shape, *others):
        return (*a_shape[:-1], b_shape[-1]), (*b_shape[:-1], a_shape[-1])

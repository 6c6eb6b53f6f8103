"""Soft alignment of two sentences."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer, Tensor
from dsa.tasks.task import PAIR


@keras.saving.register_keras_serializable(package="dsa")
class SoftAlignment(MaskedLayer):
    """Each token gets the tokens of the other sentence that it resembles.

        e_ij = a_i . b_j, or F(a_i) . F(b_j)
        a~_i = sum_j softmax_j(e_ij) b_j,  b~_j = sum_i softmax_i(e_ij) a_i

    a are the states of the premise, b those of the hypothesis. Padding gets weight 0,
    and so does everything for a sentence of only padding.

    Call arguments, beside those of `MaskedLayer`:
        premise_states, hypothesis_states: a and b, tensors `(B, P, D)` and
            `(B, Q, D)`.
        premise_mask, hypothesis_mask: bool tensors `(B, P)` and `(B, Q)`, True = real
            token.
        keys: F(a) and F(b), tensors `(B, P, K)` and `(B, Q, K)`; `None` for the states.

    Returns: a~, tensor `(B, P, D)`, and b~, `(B, Q, D)`. `TokenMap`s: `alignment` of
        the premise over the hypothesis, `(B, P, Q)`, and the other way round,
        `(B, Q, P)`, float32.

    Reference: Chen et al. 2017, section 3.2, equations 11 to 13; Li et al. 2019,
    section 2.1, equations 3 to 5; with F, Parikh et al. 2016, section 3.1.

    Example:
        >>> premise, hypothesis = ops.ones((2, 5, 8)), ops.ones((2, 3, 8))
        >>> masks = ops.ones((2, 5), bool), ops.ones((2, 3), bool)
        >>> attended = SoftAlignment()(premise, hypothesis, *masks)
        >>> [tuple(tensor.shape) for tensor in attended]
        [(2, 5, 8), (2, 3, 8)]
    """

    def build(self, *input_shapes):  # pyright: ignore[reportIncompatibleMethodOverride]
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def call(
        self,
        premise_states: Tensor,
        hypothesis_states: Tensor,
        premise_mask: Tensor,
        hypothesis_mask: Tensor,
        keys: tuple[Tensor, Tensor] | None = None,
        return_attention: bool = False,
    ):
        # 0 * nan is nan: what padding holds must not matter
        premise_states = ops.where(premise_mask[:, :, None], premise_states, 0)
        hypothesis_states = ops.where(hypothesis_mask[:, :, None], hypothesis_states, 0)
        premise_keys, hypothesis_keys = keys or (premise_states, hypothesis_states)
        # (B, P, Q): how well each premise token fits each hypothesis token
        scores = ops.matmul(premise_keys, ops.transpose(hypothesis_keys, (0, 2, 1)))
        # (B, P, Q): each premise token's weights over the hypothesis
        premise_weights = self.softmax(scores, mask=hypothesis_mask[:, None, :])
        # (B, Q, P): each hypothesis token's weights over the premise
        hypothesis_weights = self.softmax(
            ops.transpose(scores, (0, 2, 1)), mask=premise_mask[:, None, :]
        )
        # (B, P, D): for each premise token, what it looked at in the hypothesis
        attended_hypothesis = ops.matmul(
            ops.cast(premise_weights, hypothesis_states.dtype), hypothesis_states
        )
        # (B, Q, D): for each hypothesis token, what it looked at in the premise
        attended_premise = ops.matmul(
            ops.cast(hypothesis_weights, premise_states.dtype), premise_states
        )
        attended = attended_hypothesis, attended_premise
        if not return_attention:
            return attended
        premise, hypothesis = PAIR
        kind = MapKind.TOKEN_OVER_TOKEN
        return attended, [
            TokenMap(
                "alignment", kind, premise_weights, sentence=premise, over=hypothesis
            ),
            TokenMap(
                "alignment", kind, hypothesis_weights, sentence=hypothesis, over=premise
            ),
        ]

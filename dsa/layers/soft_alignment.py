"""Soft alignment of premise and hypothesis."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer, Tensor, clear_padding


@keras.saving.register_keras_serializable(package="dsa")
class SoftAlignment(MaskedLayer):
    """Soft alignment: attention of each sentence of a pair over the other sentence.

        e_ij = a_i . b_j, or F(a_i) . F(b_j)
        a~_i = sum_j softmax_j(e_ij) b_j,  b~_j = sum_i softmax_i(e_ij) a_i

    a_i are the premise states, b_j the hypothesis states. The weights of padding are 0,
    so all weights over a sentence without real tokens are 0.

    Call arguments:
        premise_states, hypothesis_states: tensors a `(B, P, D)` and b `(B, Q, D)`.
        premise_mask, hypothesis_mask: bool tensors `(B, P)` and `(B, Q)`, True = real
            token.
        keys: tuple of F(a) `(B, P, D_key)` and F(b) `(B, Q, D_key)`; `None` to compute
            e from a and b.
        return_attention: see `MaskedLayer`.

    Returns: tuple of a~ `(B, P, D)` and b~ `(B, Q, D)`. With `return_attention=True`,
        also a list of two `TokenMap`s `alignment`, float32: the weights of the premise
        over the hypothesis, `(B, P, Q)`, and of the hypothesis over the premise,
        `(B, Q, P)`.

    Reference: Chen et al. 2017, section 3.2, equations 11 to 13; Li et al. 2019,
    section 2.1, equations 3 to 5. Parikh et al. 2016, section 3.1, for F.

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
        premise_states = clear_padding(premise_states, premise_mask)
        hypothesis_states = clear_padding(hypothesis_states, hypothesis_mask)
        if keys is None:
            premise_keys = premise_states
            hypothesis_keys = hypothesis_states
        else:
            premise_keys, hypothesis_keys = keys
        # (B, P, Q): e, similarity of each premise token to each hypothesis token
        scores = ops.matmul(premise_keys, ops.transpose(hypothesis_keys, (0, 2, 1)))
        # (B, P, Q): weights of each premise token over the hypothesis
        premise_weights = self.softmax(scores, mask=hypothesis_mask[:, None, :])
        # (B, Q, P): weights of each hypothesis token over the premise
        hypothesis_weights = self.softmax(
            ops.transpose(scores, (0, 2, 1)), mask=premise_mask[:, None, :]
        )
        # (B, P, D): a~, the hypothesis context of each premise token
        attended_hypothesis = ops.matmul(
            ops.cast(premise_weights, hypothesis_states.dtype), hypothesis_states
        )
        # (B, Q, D): b~, the premise context of each hypothesis token
        attended_premise = ops.matmul(
            ops.cast(hypothesis_weights, premise_states.dtype), premise_states
        )
        attended = attended_hypothesis, attended_premise
        if not return_attention:
            return attended
        return attended, [
            TokenMap(
                "alignment",
                MapKind.TOKEN_OVER_TOKEN,
                premise_weights,
                sentence="premise",
                over="hypothesis",
            ),
            TokenMap(
                "alignment",
                MapKind.TOKEN_OVER_TOKEN,
                hypothesis_weights,
                sentence="hypothesis",
                over="premise",
            ),
        ]

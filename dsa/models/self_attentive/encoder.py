"""The encoder with its penalty for attentions that look at the same tokens."""

import keras
from keras import ops

from dsa.layers.pooled_encoder import PooledEncoder
from dsa.models.self_attentive.structured_attention import (
    measure_overlap,
    measure_token_overlap,
)


@keras.saving.register_keras_serializable(package="dsa")
class SelfAttentiveEncoder(PooledEncoder):
    """A Bi-LSTM's states, pooled by a `StructuredAttention`.

    Args:
        pooling: the `StructuredAttention`.
        context: the `BiLSTM`.
        penalty: coefficient of the penalty.
        penalty_form: "published" for `measure_overlap` of each sentence, "released" for
            `measure_token_overlap`.
        others: as `PooledEncoder`.

    Call arguments, Returns: as `PooledEncoder`.

    Reference: Lin et al. 2017, section 2; "released": `hantek/SelfAttentiveSentEmbed`,
        `segae_gaereg.py`.

    Example:
        >>> from dsa.layers.bilstm import BiLSTM
        >>> from dsa.models.self_attentive.structured_attention import (
        ...     StructuredAttention,
        ... )
        >>> encoder = SelfAttentiveEncoder(StructuredAttention(4, hops=3), BiLSTM(2))
        >>> tuple(encoder(ops.ones((2, 5, 8))).shape)
        (2, 12)
    """

    def __init__(
        self, pooling, context=None, penalty=0.3, penalty_form="published", **kwargs
    ):
        super().__init__(pooling, context, **kwargs)
        self.penalty = penalty
        self.penalty_form = penalty_form

    def penalize(self, maps, mask):
        """`penalty` x the mean over the batch of each sentence's overlap, which
        training adds to the loss. Where a batch is filled with copies of a sentence
        (JAX), they count in the mean.

        Args:
            maps: the `TokenMap`s of a call.
            mask: bool tensor `(B, L)`, True = real token.

        Reference: Lin et al. 2017, section 2.2.
        """
        (weights,) = (one.values for one in maps if one.what == "structured_attention")
        if self.penalty_form == "released":
            return self.penalty * ops.mean(measure_token_overlap(weights, mask))
        return self.penalty * ops.mean(measure_overlap(weights))

    def get_config(self):
        return {
            **super().get_config(),
            "penalty": self.penalty,
            "penalty_form": self.penalty_form,
        }

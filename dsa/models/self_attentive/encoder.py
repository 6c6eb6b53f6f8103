"""The encoder with its penalty for attentions that look at the same tokens."""

import keras
from keras import ops

from dsa.layers.pooled_encoder import PooledEncoder
from dsa.models.self_attentive.structured_attention import measure_overlap


@keras.saving.register_keras_serializable(package="dsa")
class SelfAttentiveEncoder(PooledEncoder):
    """A Bi-LSTM's states, pooled by a `StructuredAttention`.

    Args:
        pooling: the `StructuredAttention`.
        context: the `BiLSTM`.
        penalty: coefficient of the penalty.
        others: as `PooledEncoder`.

    Call arguments, Returns: as `PooledEncoder`.

    Reference: Lin et al. 2017, section 2.

    Example:
        >>> from dsa.layers.bilstm import BiLSTM
        >>> from dsa.models.self_attentive.structured_attention import (
        ...     StructuredAttention,
        ... )
        >>> encoder = SelfAttentiveEncoder(StructuredAttention(4, hops=3), BiLSTM(2))
        >>> tuple(encoder(ops.ones((2, 5, 8))).shape)
        (2, 12)
    """

    def __init__(self, pooling, context=None, penalty=0.3, **kwargs):
        super().__init__(pooling, context, **kwargs)
        self.penalty = penalty

    def penalize(self, maps):
        """`penalty` x the mean over the batch of `||A A^T - I||_F^2`, which training
        adds to the loss. Where a batch is filled with copies of a sentence (JAX), they
        count in the mean.

        Args:
            maps: the `TokenMap`s of a call.

        Reference: Lin et al. 2017, section 2.2.
        """
        (weights,) = (one.values for one in maps if one.what == "structured_attention")
        return self.penalty * ops.mean(measure_overlap(weights))

    def get_config(self):
        return {**super().get_config(), "penalty": self.penalty}

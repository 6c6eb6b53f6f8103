"""Loss of a predicted distribution over scores."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class ScoreDivergence(keras.losses.Loss):
    """KL divergence from the target distribution over a scale to the prediction.

    The target distribution of a score y divides the probability between the two nearest
    integers: `floor(y) + 1` has the probability `y - floor(y)`, and `floor(y)` has the
    remaining probability.

    Args:
        lowest: lowest integer of the scale, represented by the first logit.

    Call arguments:
        y_true: tensor `(B,)` or `(B, 1)`, gold scores.
        y_pred: tensor `(B, K)`, logits of the K integers.

    Returns: the mean over the batch, in nats.

    Reference: Tai et al. 2015, section 4.2, equation 16.
    """

    def __init__(
        self, lowest: int, name: str = "score_divergence", **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.lowest = lowest

    def call(self, y_true, y_pred):
        scale: Any = ops.arange(y_pred.shape[-1], dtype=y_pred.dtype)
        scores: Any = ops.reshape(ops.cast(y_true, y_pred.dtype), (-1, 1))
        distance: Any = ops.abs(scores - (self.lowest + scale))
        target: Any = ops.relu(1 - distance)
        log_target: Any = ops.log(ops.maximum(target, 1e-30))
        return ops.sum(target * (log_target - ops.log_softmax(y_pred)), axis=-1)

    def get_config(self):
        return {**super().get_config(), "lowest": self.lowest}

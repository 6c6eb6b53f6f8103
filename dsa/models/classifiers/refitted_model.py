"""Base class of pair models with a refitted final classifier."""

from typing import Any

import keras
import numpy as np
from keras import ops

from dsa.backends.compilation import BaseModel
from dsa.explanation import TokenMap
from dsa.layers.masks import Tensor


class RefittedModel(BaseModel):
    """Base class of pair models with two linear layers over the same features.

    The layer `logits` is trained with the network. The layer `decision` computes the
    predictions; it is refitted to the training rows before each evaluation.

    Subclasses define the method `classifier_inputs(inputs, training=None, maps=None)`,
    which returns the features `(B, F)` of a batch and appends `TokenMap`s to the list
    `maps`, and the attributes `feature_count`, the number of features F, and
    `embedding`, the word embedding.

    Args:
        outputs: number of logits.
        classifier: "network" to predict with the trained layer; "logistic" or "svm" to
            predict with the refitted layer, see `dsa.models.classifiers.refit`.
        l2: coefficient of the weight decay, which adds `l2 * sum(W^2)` of the trained
            layer to the loss.

    Call arguments:
        inputs: dictionary of int tensors `(B, L)`, token ids, 0 is padding. The key
            `features` contains additional features of the pairs, if the run has any.
        training: whether to return the logits of the trained layer.
        features_only: whether to return the features instead of the logits.

    Returns: logits, float32 tensor `(B, outputs)`, or the features, tensor `(B, F)`.

    Reference: Yin et al. 2016, section 5, "Classifier".
    """

    def __init__(
        self,
        outputs: int,
        classifier: str = "network",
        l2: float = 0.0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.classifier = classifier
        self.logits = keras.layers.Dense(
            outputs,
            kernel_regularizer=keras.regularizers.L2(l2) if l2 else None,
            dtype="float32",
            name="logits",
        )
        self.decision: Any = None
        if classifier != "network":
            self.decision = keras.layers.Dense(
                outputs,
                kernel_initializer="zeros",
                trainable=False,
                dtype="float32",
                name="decision",
            )

    def build(self, input_shape=None):
        self.embedding.build()
        for layer in (self.logits, self.decision):
            if layer is not None:
                layer.build((None, self.feature_count))
        self.built = True

    def call(
        self,
        inputs: dict[str, Tensor],
        training: bool | None = None,
        features_only: bool = False,
    ):
        features = self.classifier_inputs(inputs, training)
        if features_only:
            return features
        return self._classify(features, training)

    def explain(self, inputs: dict[str, Tensor]) -> tuple[Tensor, list[TokenMap]]:
        """Returns the logits and a list of `TokenMap`s, without dropout."""
        maps = []
        features = self.classifier_inputs(inputs, training=False, maps=maps)
        return self._classify(features, training=False), maps

    def set_decision(self, kernel: np.ndarray, bias: np.ndarray) -> None:
        """Sets the kernel `(F, outputs)` and bias `(outputs,)` of `decision`."""
        self.decision.kernel.assign(kernel)
        self.decision.bias.assign(bias)

    def _classify(self, features, training):
        """Applies `logits` in training or if there is no refitted layer, otherwise
        `decision`."""
        features = ops.cast(features, "float32")
        if training or self.decision is None:
            return self.logits(features)
        return self.decision(features)

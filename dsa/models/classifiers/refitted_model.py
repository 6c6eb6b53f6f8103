"""A pair model whose last layer is fitted again, by a linear classifier."""

from typing import Any

import keras
from keras import ops

from dsa.backends.compilation import BaseModel


class RefittedModel(BaseModel):
    """A model that is trained with a linear layer over its features, and decides with
    another one over the same features, which is fitted to the training rows after each
    epoch.

    A subclass gives `classifier_inputs(inputs, training=None, maps=None)`: the features
    `(B, F)` of a batch; it adds its `TokenMap`s to the list `maps`. `feature_count` is
    F, and `embedding` its word vectors. It builds its other layers itself.

    Args:
        outputs: number of logits.
        classifier: "network" decides with the layer that was trained; any other name
            with the one that is fitted, see `dsa.models.classifiers.refit`.
        l2: the loss has `l2 * sum(W^2)` more, of the trained layer's matrix.

    Call arguments:
        inputs: a dictionary of int ids `(B, L)` by input, 0 is padding, and `features`
            `(B, F)` where the run has features of the pair.
        training: `True` for the trained layer's logits.
        features_only: `True` for the inputs of the last layer instead of logits.

    Returns: logits, float32 `(B, outputs)`.

    Reference: Yin et al. 2016, section 5.1: "the final classifier".
    """

    def __init__(self, outputs, classifier="network", l2=0.0, **kwargs):
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

    def call(self, inputs, training=None, features_only=False):
        features = self.classifier_inputs(inputs, training)
        return features if features_only else self._classify(features, training)

    def explain(self, inputs):
        """Logits, and what the model looked at: a list of `TokenMap`s."""
        maps = []
        features = self.classifier_inputs(inputs, training=False, maps=maps)
        return self._classify(features, training=False), maps

    def set_decision(self, kernel, bias):
        """Give the deciding layer a kernel `(F, outputs)` and a bias `(outputs,)`."""
        self.decision.kernel.assign(kernel)
        self.decision.bias.assign(bias)

    def _classify(self, features, training):
        layer = self.logits if training or self.decision is None else self.decision
        return layer(ops.cast(features, "float32"))

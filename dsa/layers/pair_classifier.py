"""The classifier that every sentence encoder shares: two sentences, one label."""

import keras
from keras import ops

from dsa.layers.masks import token_mask
from dsa.layers.normalized_dense import NormalizedDense, decay
from dsa.seeds import derived_seed

DIFFERENCES = ("absolute", "signed")


@keras.saving.register_keras_serializable(package="dsa")
class SentencePairClassifier(keras.Model):
    """Encodes premise and hypothesis by one encoder and compares the two vectors.

        features = [u; v; |u - v|; u * v]
        logits = W Dropout(ReLU(LN(features W_1 + b_1))) + b

    DiSAN's takes `u - v` with its sign and ELU, has no LN, and decays both matrices.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        encoder: layer, vectors `(B, L, D)` and mask `(B, L)` to `(B, S)`; with
            `return_attention=True` a pair of it and a dictionary of named tensors.
        labels: number of labels.
        units: features of the hidden layer.
        dropout: dropped share of the hidden layer.
        input_dropout: dropped share of the features `(B, 4 S)`. The paper names none.
        layer_norm: `False` leaves out LN.
        difference: "absolute" or "signed".
        activation: name of the hidden layer's Keras activation.
        l2: decay of both matrices, see `NormalizedDense`.
        seed: seed of the dropouts; `None` for unseeded ones.

    Call arguments:
        inputs: dictionary of int tensors `premise` `(B, P)` and `hypothesis` `(B, Q)`,
            token ids, 0 is padding.

    Returns: logits, tensor `(B, labels)`, float32.

    Raises: `ValueError` for an unknown `difference`.

    Reference: Im & Cho 2017, section 4.1, figure 1; Shen et al. 2018, section 5.1.
    """

    def __init__(
        self,
        embedding,
        encoder,
        labels=3,
        units=300,
        dropout=0.1,
        input_dropout=0.0,
        layer_norm=True,
        difference="absolute",
        activation="relu",
        l2=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if difference not in DIFFERENCES:
            raise ValueError(
                f"`difference` must be one of {DIFFERENCES}. Received: {difference!r}"
            )
        self.difference = difference
        self.embedding = embedding
        self.encoder = encoder
        self.input_drop = keras.layers.Dropout(
            input_dropout,
            seed=derived_seed(seed, "classifier input"),
            dtype=self.dtype_policy,
        )
        self.hidden = NormalizedDense(
            units,
            activation=activation,
            layer_norm=layer_norm,
            l2=l2,
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.drop = keras.layers.Dropout(
            dropout, seed=derived_seed(seed, "classifier"), dtype=self.dtype_policy
        )
        self.logits = keras.layers.Dense(
            labels, kernel_regularizer=decay(l2), dtype="float32", name="logits"
        )

    def encode(self, ids, training=None, return_attention=False):
        """Sentence vectors `(B, S)` of ids `(B, L)`, as the encoder gives them."""
        return self.encoder(
            self.embedding(ids),
            mask=token_mask(ids),
            training=training,
            **({"return_attention": True} if return_attention else {}),
        )

    def classify(self, premise, hypothesis, training=None):
        """Logits `(B, labels)` of two sentence vectors `(B, S)`."""
        difference = premise - hypothesis
        if self.difference == "absolute":
            difference = ops.abs(difference)
        features = ops.concatenate(
            [premise, hypothesis, difference, premise * hypothesis], axis=-1
        )
        hidden = self.hidden(self.input_drop(features, training=training))
        return self.logits(self.drop(hidden, training=training))

    def call(self, inputs, training=None):
        return self.classify(
            self.encode(inputs["premise"], training=training),
            self.encode(inputs["hypothesis"], training=training),
            training=training,
        )

    def explain(self, inputs):
        """What the model looked at: a dictionary of named tensors.

        `logits`, and each tensor of the encoder (its `return_attention`) once as
        `premise.<name>` and once as `hypothesis.<name>`. Dropout is off.
        """
        named, vectors = {}, []
        for sentence in ("premise", "hypothesis"):
            vector, attention = self.encode(
                inputs[sentence], training=False, return_attention=True
            )
            vectors.append(vector)
            named |= {f"{sentence}.{name}": a for name, a in attention.items()}
        return {"logits": self.classify(*vectors, training=False), **named}

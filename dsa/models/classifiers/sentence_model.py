"""What all models over a sentence encoder share: encoder, hidden layer, logits."""

import keras

from dsa.backends.scanned_model import BaseModel
from dsa.explanation import describe_maps
from dsa.layers.maps import call_layer
from dsa.layers.masks import token_mask
from dsa.layers.normalized_dense import NormalizedDense, make_decay
from dsa.seeds import derived_seed


class SentenceModel(BaseModel):
    """Encodes each sentence by one encoder and classifies features of the vectors.

        h_1 = activation(LN(features W_1 + b_1)),  h_k from h_{k-1} in the same way
        logits = W Dropout(h_n) + b

    A subclass names its `sentences`, and has a method `features` from their vectors,
    `(B, S)` each, to the features `(B, F)`.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        encoder: layer, vectors `(B, L, D)` and mask `(B, L)` to `(B, S)`; with
            `return_attention=True` a pair of it and a list of `TokenMap`s. If it has a
            method `penalize`, from these maps to a number, training adds the number of
            every sentence to the loss.
        outputs: number of logits.
        units: features of each hidden layer.
        layers: n, number of hidden layers.
        dropout: dropped share of the last hidden layer.
        input_dropout: dropped share of the features.
        layer_norm: `False` leaves out LN.
        activation: name of the hidden layers' Keras activation.
        l2: decay of all matrices, see `NormalizedDense`.
        seed: seed of the dropouts; `None` for unseeded ones.

    Call arguments:
        inputs: dictionary of int tensors `(B, L)`, token ids, 0 is padding, one for
            each name of `sentences`.

    Returns: logits, tensor `(B, outputs)`, float32.
    """

    sentences = ()

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        embedding,
        encoder,
        outputs=3,
        *,
        units=300,
        layers=1,
        dropout=0.1,
        input_dropout=0.0,
        layer_norm=True,
        activation="relu",
        l2=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.embedding = embedding
        self.encoder = encoder
        self.input_drop = keras.layers.Dropout(
            input_dropout,
            seed=derived_seed(seed, "classifier input"),
            dtype=self.dtype_policy,
        )
        self.hidden, *self.deeper = (
            NormalizedDense(
                units,
                activation=activation,
                layer_norm=layer_norm,
                l2=l2,
                dtype=self.dtype_policy,
                name=f"hidden_{number}" if number > 1 else "hidden",
            )
            for number in range(1, layers + 1)
        )
        self.drop = keras.layers.Dropout(
            dropout, seed=derived_seed(seed, "classifier"), dtype=self.dtype_policy
        )
        self.logits = keras.layers.Dense(
            outputs, kernel_regularizer=make_decay(l2), dtype="float32", name="logits"
        )

    def encode(self, ids, training=None, maps=None):
        """Sentence vectors `(B, S)` of ids `(B, L)`.

        Args:
            maps: list that the encoder's `TokenMap`s are added to; `None` to ask for
                none.
        """
        words = self.embedding(ids)  # (B, L, D)
        mask = token_mask(ids)  # (B, L)
        penalize = getattr(self.encoder, "penalize", None) if training else None
        if penalize is None:
            return call_layer(self.encoder, maps, words, mask=mask, training=training)
        maps = []
        vectors = call_layer(self.encoder, maps, words, mask=mask, training=training)
        # Not by the encoder: on JAX its second call would clear the loss of its first
        self.add_loss(penalize(maps))
        return vectors

    def classify(self, *vectors, training=None):
        """Logits `(B, outputs)` of sentence vectors `(B, S)`, one for each sentence."""
        # (B, F)
        features = self.input_drop(self.features(*vectors), training=training)
        hidden = self.hidden(features)  # (B, units)
        for layer in self.deeper:
            hidden = layer(hidden)
        return self.logits(self.drop(hidden, training=training))  # (B, outputs)

    def call(self, inputs, training=None):
        vectors = [self.encode(inputs[name], training) for name in self.sentences]
        return self.classify(*vectors, training=training)

    def explain(self, inputs):
        """Logits, and what the model looked at: a list of the encoder's `TokenMap`s of
        every sentence. Dropout is off.
        """
        vectors, maps = [], []
        for sentence in self.sentences:
            sentence_maps = []
            ids = inputs[sentence]
            vectors.append(self.encode(ids, training=False, maps=sentence_maps))
            maps += describe_maps(sentence_maps, sentence=sentence)
        return self.classify(*vectors, training=False), maps

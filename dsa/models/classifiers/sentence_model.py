"""What all models over a sentence encoder share: encoder, hidden layer, logits."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from dsa.backends.compilation import BaseModel
from dsa.explanation import TokenMap, call_layer, describe_maps
from dsa.layers.masks import Tensor, token_mask
from dsa.layers.normalized_dense import NormalizedDense, make_decay
from dsa.layers.pooled_encoder import build_once, infer_output_shape
from dsa.layers.word_embedding import WordEmbedding
from dsa.seeds import derived_seed
from dsa.tasks.task import PREMISE_POSITIONS


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
            method `penalize`, from these maps and the mask to a number, training adds
            the number of every sentence to the loss.
        outputs: number of logits.
        units: features of each hidden layer.
        layers: n, number of hidden layers.
        dropout: dropped share of the last hidden layer.
        input_dropout: dropped share of the features.
        hidden_dropout: dropped share of each hidden layer before the last one.
        layer_norm: `False` leaves out LN.
        activation: name of the hidden layers' activation, see `NormalizedDense`.
        l2: decay of all matrices, see `NormalizedDense`.
        seed: seed of the dropouts; `None` for unseeded ones.

    Call arguments:
        inputs: dictionary of int tensors `(B, L)`, token ids, 0 is padding, one for
            each name of `sentences`. With `premise_positions` `(B,)`, the premises are
            `(P, L)`, and each pair's is the one at its position: a premise that several
            pairs share is encoded once, with one dropout.

    Returns: logits, tensor `(B, outputs)`, float32.
    """

    sentences: tuple[str, ...] = ()
    features: Callable[..., Tensor]
    unused_settings = frozenset({"difference"})  # of `ClassifierConfig`

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        embedding: WordEmbedding,
        encoder: keras.layers.Layer,
        outputs: int = 3,
        *,
        units: int = 300,
        layers: int = 1,
        dropout: float = 0.1,
        input_dropout: float = 0.0,
        hidden_dropout: float = 0.0,
        layer_norm: bool = True,
        activation: str = "relu",
        l2: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
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
                dropout=hidden_dropout if number > 1 else 0.0,
                l2=l2,
                seed=derived_seed(seed, f"hidden {number}"),
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

    def build(self, input_shape=None):
        """Make all weights, from the sizes of the layers only: no layer is called."""
        words_shape = self.embedding.compute_output_shape((None, None))
        build_once(self.embedding, (None, None))
        if type(self.encoder).build is keras.layers.Layer.build:
            self._call_encoder(words_shape)  # it makes its weights when it is called
        else:
            build_once(self.encoder, words_shape)
        shape = infer_output_shape(self.encoder, words_shape)
        self.vector_units = shape[-1]
        shape = self.build_features((None, self.vector_units))
        for layer in (self.hidden, *self.deeper, self.logits):
            build_once(layer, shape)
            shape = layer.compute_output_shape(shape)

    def build_features(self, vector_shape):
        """Makes the weights of `features`, of which most have none; from the shape of a
        sentence vector, `(None, S)`, to that of the features, `(None, F)`."""
        vector = keras.KerasTensor(vector_shape, self.compute_dtype)
        return self.features(*(vector for _ in self.sentences)).shape

    def _call_encoder(self, words_shape):
        words = keras.KerasTensor(words_shape, self.encoder.compute_dtype)
        self.encoder(words, mask=keras.KerasTensor(words_shape[:-1], "bool"))

    def encode(self, ids: Tensor, training=None, maps=None, describe=None) -> Tensor:
        """Sentence vectors `(B, S)` of ids `(B, L)`; for maps see `call_layer`."""
        words = self.embedding(ids)  # (B, L, D)
        mask = token_mask(ids)  # (B, L)
        penalize = getattr(self.encoder, "penalize", None) if training else None
        own = [] if maps is not None or penalize is not None else None
        vectors = call_layer(self.encoder, own, words, mask=mask, training=training)
        if penalize is not None:
            # not by the encoder: on JAX its second call would clear the first loss
            self.add_loss(penalize(own, mask))
        if maps is not None:
            maps += describe_maps(own or [], **describe or {})
        return vectors

    def classify(self, *vectors: Tensor, training=None) -> Tensor:
        """Logits `(B, outputs)` of sentence vectors `(B, S)`, one for each sentence."""
        # (B, F)
        features = self.input_drop(self.features(*vectors), training=training)
        hidden = self.hidden(features)  # (B, units)
        for layer in self.deeper:
            hidden = layer(hidden, training=training)
        return self.logits(self.drop(hidden, training=training))  # (B, outputs)

    def call(self, inputs: dict[str, Tensor], training=None):
        vectors = [self.encode(inputs[name], training) for name in self.sentences]
        if PREMISE_POSITIONS in inputs:
            vectors[0] = ops.take(vectors[0], inputs[PREMISE_POSITIONS], axis=0)
        return self.classify(*vectors, training=training)

    def explain(self, inputs: dict[str, Tensor]) -> tuple[Tensor, list[TokenMap]]:
        """Logits, and what the model looked at: a list of the encoder's `TokenMap`s of
        every sentence. Dropout is off."""
        vectors, maps = [], []
        for sentence in self.sentences:
            where = {"sentence": sentence}
            vectors.append(self.encode(inputs[sentence], False, maps, where))
        return self.classify(*vectors, training=False), maps

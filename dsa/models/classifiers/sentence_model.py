"""Base class of classifiers over a sentence encoder."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from dsa.backends.compilation import BaseModel
from dsa.explanation import TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.attention_maps import replace_map_fields
from dsa.layers.masks import Tensor, clear_padding, token_mask
from dsa.layers.normalized_dense import NormalizedDense, make_l2_regularizer
from dsa.layers.pooled_encoder import build_once, infer_output_shape
from dsa.layers.word_embedding import WordEmbedding
from dsa.seeds import derived_seed
from dsa.tasks.task import PREMISE_POSITIONS

DIFFERENCES = ("absolute", "signed")


class SentenceModel(BaseModel):
    """Base class of models with a shared sentence encoder, hidden layers and logits.

        h_1 = activation(LN(features W_1 + b_1))
        h_k = activation(LN(h_{k-1} W_k + b_k)),  k = 2, ..., n
        logits = W Dropout(h_n) + b

    Subclasses define the attribute `sentences`, the names of the inputs, and the method
    `features`, which maps the sentence vectors, `(B, S)` each, to features `(B, F)`.

    Args:
        embedding: layer that maps ids `(B, L)` to word vectors `(B, L, D)`.
        encoder: layer that maps word vectors `(B, L, D)` and a mask `(B, L)` to
            sentence vectors `(B, S)`. With `return_attention=True`, it returns a tuple
            of the vectors and a list of `TokenMap`s. If it has a method
            `penalize(maps, mask)`, which returns a scalar, training adds the scalars of
            all inputs to the loss.
        outputs: number of logits.
        units: integer, number of features of each hidden layer.
        layers: n, number of hidden layers.
        dropout: dropout rate of the last hidden layer.
        input_dropout: dropout rate of the features.
        hidden_dropout: dropout rate of each hidden layer except the last.
        layer_norm: whether to apply layer normalization (LN).
        difference: "absolute" or "signed"; used by `SentencePairClassifier`.
        activation: name of the activation of the hidden layers, see `NormalizedDense`.
        l2: coefficient of the weight decay of all matrices, see `NormalizedDense`.
        seed: integer from which the seeds of the dropout layers are derived; `None` for
            unseeded dropout.

    Call arguments:
        inputs: dictionary of int tensors `(B, L)`, token ids, 0 is padding, with a key
            for each name in `sentences`. With the optional key `premise_positions`
            `(B,)`, `premise` contains distinct premises `(P, L)`, and the positions
            select the premise of each pair. Pairs with the same premise share its
            vector and thus its dropout mask.

    Returns: logits, float32 tensor `(B, outputs)`.

    Raises: `ValueError` if `difference` is unknown.
    """

    sentences: tuple[str, ...] = ()
    features: Callable[..., Tensor]

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
        difference: str = "absolute",
        activation: str = "relu",
        l2: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("difference", difference, DIFFERENCES)
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
            seed=derived_seed(seed, "hidden 1"),
            dtype=self.dtype_policy,
            name="hidden",
        )
        self.deeper = []
        for number in range(2, layers + 1):
            layer = NormalizedDense(
                units,
                activation=activation,
                layer_norm=layer_norm,
                dropout=hidden_dropout,
                l2=l2,
                seed=derived_seed(seed, f"hidden {number}"),
                dtype=self.dtype_policy,
                name=f"hidden_{number}",
            )
            self.deeper.append(layer)
        self.drop = keras.layers.Dropout(
            dropout, seed=derived_seed(seed, "classifier"), dtype=self.dtype_policy
        )
        self.logits = keras.layers.Dense(
            outputs,
            kernel_regularizer=make_l2_regularizer(l2),
            dtype="float32",
            name="logits",
        )

    def build(self, input_shape=None):
        """Creates all weights from the shapes of the layers, without a call."""
        words_shape = self.embedding.compute_output_shape((None, None))
        build_once(self.embedding, (None, None))
        if type(self.encoder).build is keras.layers.Layer.build:
            # an encoder without `build` creates its weights in a symbolic call
            self.encoder(
                keras.KerasTensor(words_shape, self.encoder.compute_dtype),
                mask=keras.KerasTensor(words_shape[:-1], "bool"),
            )
        else:
            build_once(self.encoder, words_shape)
        shape = infer_output_shape(self.encoder, words_shape)
        self.vector_units = shape[-1]
        shape = self.build_features((None, self.vector_units))
        for layer in (self.hidden, *self.deeper, self.logits):
            build_once(layer, shape)
            shape = layer.compute_output_shape(shape)

    def build_features(self, vector_shape):
        """Creates the weights used in `features` and returns the shape of its output,
        `(None, F)`.

        Subclasses whose `features` has weights override this method.

        Args:
            vector_shape: shape of the sentence vectors, `(None, S)`.
        """
        vector = keras.KerasTensor(vector_shape, self.compute_dtype)
        return self.features(*(vector for _ in self.sentences)).shape

    def encode(
        self,
        ids: Tensor,
        training: bool | None = None,
        maps: list[TokenMap] | None = None,
        sentence: str | None = None,
    ) -> Tensor:
        """Computes the sentence vectors `(B, S)`.

        Args:
            ids: int tensor `(B, L)`, token ids, 0 is padding.
            training: whether dropout is active.
            maps: list to which the `TokenMap`s of the encoder are appended; `None` to
                skip their computation.
            sentence: name of the sentence in these maps, such as "premise".
        """
        # (B, L, D) and (B, L)
        mask = token_mask(ids)
        words = clear_padding(self.embedding(ids), mask)
        penalize = None
        if training:
            penalize = getattr(self.encoder, "penalize", None)
        if maps is None and penalize is None:
            return self.encoder(words, mask=mask, training=training)
        # (B, S)
        vectors, encoder_maps = self.encoder(
            words, mask=mask, training=training, return_attention=True
        )
        if penalize is not None:
            # Add the loss here, not in the encoder: on JAX, the second call of the
            # encoder would clear the losses of its first call.
            self.add_loss(penalize(encoder_maps, mask))
        if maps is not None:
            maps += replace_map_fields(encoder_maps, sentence=sentence)
        return vectors

    def classify(self, *vectors: Tensor, training: bool | None = None) -> Tensor:
        """Computes the logits `(B, outputs)` from sentence vectors, `(B, S)` each."""
        # (B, F)
        features = self.input_drop(self.features(*vectors), training=training)
        # (B, units)
        hidden = self.hidden(features)
        for layer in self.deeper:
            hidden = layer(hidden, training=training)
        # (B, outputs)
        return self.logits(self.drop(hidden, training=training))

    def call(self, inputs: dict[str, Tensor], training: bool | None = None):
        vectors = [self.encode(inputs[name], training) for name in self.sentences]
        if PREMISE_POSITIONS in inputs:
            vectors[0] = ops.take(vectors[0], inputs[PREMISE_POSITIONS], axis=0)
        return self.classify(*vectors, training=training)

    def explain(self, inputs: dict[str, Tensor]) -> tuple[Tensor, list[TokenMap]]:
        """Returns the logits and the `TokenMap`s of all sentences of a batch.

        Dropout is inactive.
        """
        vectors = []
        maps = []
        for sentence in self.sentences:
            vector = self.encode(
                inputs[sentence], training=False, maps=maps, sentence=sentence
            )
            vectors.append(vector)
        return self.classify(*vectors, training=False), maps

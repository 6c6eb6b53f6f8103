"""Addition, the sums of both sentences' word vectors; and A-LSTM, which reads the
second sentence from where the first one ended, and then looks at the first.

B pairs, P and Q tokens of the two sentences, D features of a word, U units.
"""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import token_mask
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.classifiers.refitted_model import RefittedModel


@keras.saving.register_keras_serializable(package="dsa")
class Addition(RefittedModel):
    """`[sum_i x_i; sum_j y_j; features]`, and a linear classifier over it.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        inputs: the names of the two sentences.
        outputs: number of logits.
        units: D.
        features: number of further features of the pair in `inputs`.
        classifier: see `RefittedModel`.

    Call arguments: see `RefittedModel`.

    Reference: Yin et al. 2016, section 5.2, "Addition" and "Addition(+)".

    Example:
        >>> model = Addition(WordEmbedding(9, 4), ("a", "b"), outputs=2, units=4)
        >>> model.build()
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"a": ids, "b": ids}, features_only=True).shape)
        (2, 8)
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        inputs: Sequence[str],
        outputs: int,
        *,
        units: int,
        features: int = 0,
        classifier: str = "logistic",
        **kwargs: Any,
    ):
        super().__init__(outputs, classifier, **kwargs)
        self.embedding = embedding
        self.sentences = inputs
        self.features = features
        self.feature_count = 2 * units + features

    def classifier_inputs(self, inputs, training=None, maps=None):
        """The features of pairs, `(B, 2 D + F)`."""
        parts = []
        for name in self.sentences:
            mask = token_mask(inputs[name])[..., None]
            words = ops.where(mask, self.embedding(inputs[name]), 0.0)
            parts.append(ops.sum(ops.cast(words, "float32"), axis=1))
        if self.features:
            parts.append(ops.cast(inputs["features"], "float32"))
        return ops.concatenate(parts, axis=1)


@keras.saving.register_keras_serializable(package="dsa")
class ALSTM(RefittedModel):
    """Conditional encoding with attention.

        Y, c = LSTM(x_1 .. x_P)                states, and the last cell
        h = LSTM'(y_1 .. y_Q; cell c)          the last state
        M = tanh(W_y Y + W_h h)
        alpha = softmax(v M), over real tokens
        r = sum_i alpha_i Y_i
        h* = tanh(W_p r + W_x h)
        logits = W [h*; features] + b

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        inputs: the names of the two sentences.
        outputs: number of logits.
        word_units: D.
        units: U.
        features: number of further features of the pair in `inputs`.
        classifier, l2: see `RefittedModel`; here all matrices decay but v's.

    Call arguments: see `RefittedModel`.

    Reference: Rocktäschel et al. 2016 (arXiv:1509.06664), sections 2.2 and 2.3. Yin et
    al. 2016 do not say which variant of that paper they mean; this is the simpler one.

    Example:
        >>> model = ALSTM(WordEmbedding(9, 4), ("a", "b"), outputs=2, word_units=4)
        >>> model.build()
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"a": ids, "b": ids}).shape)
        (2, 2)
    """

    def __init__(  # noqa: PLR0913 (settings of a model)
        self,
        embedding: WordEmbedding,
        inputs: Sequence[str],
        outputs: int,
        *,
        word_units: int,
        units: int = 50,
        features: int = 0,
        classifier: str = "network",
        l2: float = 0.0,
        **kwargs: Any,
    ):
        super().__init__(outputs, classifier, l2, **kwargs)
        self.embedding = embedding
        self.sentences = inputs
        self.word_units = word_units
        self.units = units
        self.features = features
        self.feature_count = units + features
        decay = keras.regularizers.L2(l2) if l2 else None
        policy = self.dtype_policy

        def make_lstm(name, **options):
            return keras.layers.LSTM(
                units,
                kernel_regularizer=decay,
                recurrent_regularizer=decay,
                use_cudnn=False,  # pyright: ignore[reportArgumentType]
                dtype=policy,
                name=name,
                **options,
            )

        def make_map(name, features=units):
            return keras.layers.Dense(
                features,
                use_bias=False,
                kernel_regularizer=decay if features > 1 else None,
                dtype=policy,
                name=name,
            )

        self.first = make_lstm("first", return_sequences=True, return_state=True)
        self.second = make_lstm("second")
        self.of_states, self.of_last = make_map("of_states"), make_map("of_last")
        self.score = make_map("score", 1)
        self.of_attended, self.of_read = make_map("of_attended"), make_map("of_read")
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def build(self, input_shape=None):
        for lstm in (self.first, self.second):
            lstm.build((None, None, self.word_units))
        for layer in (self.of_states, self.score):
            layer.build((None, None, self.units))
        for layer in (self.of_last, self.of_attended, self.of_read):
            layer.build((None, self.units))
        super().build(input_shape)

    def classifier_inputs(self, inputs, training=None, maps=None):
        """The features of pairs, `(B, U + F)`."""
        first, second = (inputs[name] for name in self.sentences)
        first_mask, second_mask = token_mask(first), token_mask(second)
        # (B, P, U), and (B, U) twice
        states, last, cell = self.first(
            self.embedding(first), mask=first_mask, training=training
        )
        # (B, U): the state after the second sentence
        read = self.second(
            self.embedding(second),
            mask=second_mask,
            initial_state=[ops.zeros_like(last), cell],
            training=training,
        )
        # (B, P, U)
        compared = ops.tanh(self.of_states(states) + self.of_last(read)[:, None, :])
        # (B, P)
        weights = self.softmax(self.score(compared)[..., 0], mask=first_mask)
        if maps is not None:
            maps.append(
                TokenMap(
                    "attention",
                    MapKind.TOKEN,
                    weights,
                    sentence=self.sentences[0],
                    note="weight of the token for the state after the other sentence",
                )
            )
        # (B, U)
        attended = ops.sum(ops.cast(weights, states.dtype)[..., None] * states, axis=1)
        pair = ops.tanh(self.of_attended(attended) + self.of_read(read))
        parts = [ops.cast(pair, "float32")]
        if self.features:
            parts.append(ops.cast(inputs["features"], "float32"))
        return ops.concatenate(parts, axis=1)

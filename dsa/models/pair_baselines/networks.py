"""The pair baselines Addition (sums of word vectors) and A-LSTM.

Shapes: B pairs, P and Q tokens in the first and second sentence, L tokens in either
sentence, D features per word, U units, F additional features per pair.
"""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import Tensor, token_mask
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.classifiers.refitted_model import RefittedModel


class Addition(RefittedModel):
    """Linear classifier over the sum of the word vectors of each sentence.

        logits = W [sum_i x_i; sum_j y_j; features] + b

    Args:
        embedding: layer that maps token ids `(B, L)` to word vectors `(B, L, D)`.
        sentences: names of the two sentences in the inputs.
        outputs: number of logits.
        word_units: D, number of features per word.
        features: F, number of additional features per pair.
        classifier: see `RefittedModel`.

    Call arguments: see `RefittedModel`.

    Reference: Yin et al. 2016, section 5, "Addition" and "Addition(+)".

    Example:
        >>> model = Addition(WordEmbedding(9, 4), ("a", "b"), outputs=2, word_units=4)
        >>> model.build()
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"a": ids, "b": ids}, features_only=True).shape)
        (2, 8)
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        sentences: Sequence[str],
        outputs: int,
        *,
        word_units: int,
        features: int = 0,
        classifier: str = "logistic",
        **kwargs: Any,
    ):
        super().__init__(outputs, classifier, **kwargs)
        self.embedding = embedding
        self.sentences = sentences
        self.features = features
        self.feature_count = 2 * word_units + features

    def classifier_inputs(
        self,
        inputs: dict[str, Tensor],
        training: bool | None = None,
        maps: list[TokenMap] | None = None,
    ) -> Tensor:
        """Computes the inputs of the classifier, `(B, 2 D + F)`."""
        parts = []
        for name in self.sentences:
            ids = inputs[name]
            # (B, L, D), 0 at padding
            words = ops.where(token_mask(ids)[..., None], self.embedding(ids), 0.0)
            # (B, D)
            parts.append(ops.sum(ops.cast(words, "float32"), axis=1))
        if self.features:
            # (B, F)
            parts.append(ops.cast(inputs["features"], "float32"))
        return ops.concatenate(parts, axis=1)


class ALSTM(RefittedModel):
    """A-LSTM: conditional encoding with attention.

        Y, c = LSTM(x_1 .. x_P)                hidden states and final cell state
        h = LSTM'(y_1 .. y_Q; cell c)          final hidden state
        M = tanh(W_y Y + W_h h)
        alpha = softmax(v M), over real tokens
        r = sum_i alpha_i Y_i
        h* = tanh(W_p r + W_x h)
        logits = W [h*; features] + b

    LSTM encodes the first sentence. LSTM' encodes the second sentence, with the
    initial cell state c and the initial hidden state 0.

    Args:
        embedding: layer that maps token ids `(B, L)` to word vectors `(B, L, D)`.
        sentences: names of the two sentences in the inputs.
        outputs: number of logits.
        word_units: D, number of features per word.
        units: U, number of features of both LSTMs.
        features: F, number of additional features per pair.
        classifier: see `RefittedModel`.
        l2: coefficient of the L2 penalty of the input and recurrent kernels of both
            LSTMs, of W_y, W_h, W_p and W_x, and of W in the trained classifier.

    Call arguments: see `RefittedModel`.

    Reference: Rocktäschel et al. 2016 (arXiv:1509.06664), sections 2.2 and 2.3. Yin et
    al. 2016 do not specify the variant of attention; this is the simpler variant.

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
        sentences: Sequence[str],
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
        self.sentences = sentences
        self.word_units = word_units
        self.units = units
        self.features = features
        self.feature_count = units + features
        decay = keras.regularizers.L2(l2) if l2 else None
        policy = self.dtype_policy
        self.first = keras.layers.LSTM(
            units,
            kernel_regularizer=decay,
            recurrent_regularizer=decay,
            use_cudnn=False,  # pyright: ignore[reportArgumentType]
            return_sequences=True,
            return_state=True,
            dtype=policy,
            name="first",
        )
        self.second = keras.layers.LSTM(
            units,
            kernel_regularizer=decay,
            recurrent_regularizer=decay,
            use_cudnn=False,  # pyright: ignore[reportArgumentType]
            dtype=policy,
            name="second",
        )
        # saved weights contain these attribute names in their paths: renaming an
        # attribute makes earlier weights unreadable

        # W_y
        self.of_states = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_regularizer=decay,
            dtype=policy,
            name="of_states",
        )
        # W_h
        self.of_last = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_regularizer=decay,
            dtype=policy,
            name="of_last",
        )
        # v
        self.score = keras.layers.Dense(1, use_bias=False, dtype=policy, name="score")
        # W_p
        self.of_attended = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_regularizer=decay,
            dtype=policy,
            name="of_attended",
        )
        # W_x
        self.of_read = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_regularizer=decay,
            dtype=policy,
            name="of_read",
        )
        self.softmax = keras.layers.Softmax(axis=-1, dtype="float32")

    def build(self, input_shape=None):
        self.first.build((None, None, self.word_units))
        self.second.build((None, None, self.word_units))
        self.of_states.build((None, None, self.units))
        self.score.build((None, None, self.units))
        self.of_last.build((None, self.units))
        self.of_attended.build((None, self.units))
        self.of_read.build((None, self.units))
        super().build(input_shape)

    def classifier_inputs(
        self,
        inputs: dict[str, Tensor],
        training: bool | None = None,
        maps: list[TokenMap] | None = None,
    ) -> Tensor:
        """Computes the inputs of the classifier, `(B, U + F)`."""
        first_name, second_name = self.sentences
        # (B, P) and (B, Q)
        first_ids = inputs[first_name]
        second_ids = inputs[second_name]
        first_mask = token_mask(first_ids)
        second_mask = token_mask(second_ids)
        # (B, P, U): Y, then (B, U): final state and cell
        Y, final_state, c = self.first(
            self.embedding(first_ids), mask=first_mask, training=training
        )
        # (B, U)
        h = self.second(
            self.embedding(second_ids),
            mask=second_mask,
            initial_state=[ops.zeros_like(final_state), c],
            training=training,
        )
        # (B, P, U)
        M = ops.tanh(self.of_states(Y) + self.of_last(h)[:, None, :])
        # (B, P)
        alpha = self.softmax(self.score(M)[..., 0], mask=first_mask)
        if maps is not None:
            maps.append(
                TokenMap(
                    "attention",
                    MapKind.TOKEN,
                    alpha,
                    sentence=first_name,
                    note="attention of the other sentence's final state to this token",
                )
            )
        # (B, U)
        r = ops.sum(ops.cast(alpha, Y.dtype)[..., None] * Y, axis=1)
        # (B, U): h*
        pair = ops.tanh(self.of_attended(r) + self.of_read(h))
        parts = [ops.cast(pair, "float32")]
        if self.features:
            # (B, F)
            parts.append(ops.cast(inputs["features"], "float32"))
        return ops.concatenate(parts, axis=1)

"""ESIM and aESIM: models that read premise and hypothesis together."""

import dataclasses
from typing import Any

import keras
from keras import ops

from dsa.backends.compilation import BaseModel
from dsa.explanation import TokenMap, call_layer
from dsa.layers.bilstm import BiLSTM
from dsa.layers.masks import Tensor, tensor_shape, token_mask
from dsa.layers.pooling import max_pool, mean_pool
from dsa.layers.soft_alignment import SoftAlignment
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.esim.attentive_bilstm import BiALSTM
from dsa.models.esim.released_code import (
    OrthogonalOrNormal,
    UnscaledDropout,
    released_lstm_options,
)
from dsa.seeds import derived_seed
from dsa.tasks.task import PAIR


@keras.saving.register_keras_serializable(package="dsa")
class ESIM(BaseModel):
    """The Enhanced Sequential Inference Model (ESIM).

        a, b = BiLSTM(Dropout(x_a)), BiLSTM(Dropout(x_b))
        a~, b~ = SoftAlignment(a, b)
        m_a = Dropout(ReLU([a; a~; a - a~; a * a~] W + c)),  m_b likewise
        v_a, v_b = BiLSTM'(m_a), BiLSTM'(m_b)
        v = [mean v_a; max v_a; mean v_b; max v_b], over real tokens
        logits = W_2 Dropout(tanh(W_1 Dropout(v) + c_1)) + c_2

    a are the states of the premise, b the states of the hypothesis. Both sentences
    share all weights. aESIM replaces both Bi-LSTMs with `BiALSTM`s, and ReLU with SELU.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        outputs: number of logits.
        units: features of each direction, of the projection and of the hidden layer.
        dropout: dropout rate, see above.
        activation: name of the projection's Keras activation.
        attentive: `True` for aESIM.
        share_attention, rescale: see `BiALSTM`; only for aESIM.
        inverted_dropout: `False` uses `UnscaledDropout`.
        initialization: "keras", or "released" for the initial weights of
            `dsa.models.esim.released_code`, only for ESIM.
        seed: seed that the dropouts' seeds are derived from; `None` for unseeded
            dropout.

    Call arguments:
        inputs: dictionary of int tensors `premise` `(B, P)` and `hypothesis` `(B, Q)`,
            token ids, 0 is padding.
        maps: only for `explain`.

    Returns: logits, tensor `(B, outputs)`, float32.

    Reference: Chen et al. 2017 (arXiv:1609.06038), section 3, and its released code for
    the dropouts; Li et al. 2019, section 2.

    Example:
        >>> model = ESIM(WordEmbedding(9, 8), units=6)
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"premise": ids, "hypothesis": ids[:, :2]}).shape)
        (2, 3)
    """

    sentences = PAIR

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        embedding: WordEmbedding,
        outputs: int = 3,
        *,
        units: int = 300,
        dropout: float = 0.5,
        activation: str = "relu",
        attentive: bool = False,
        share_attention: bool = False,
        rescale: bool = False,
        inverted_dropout: bool = True,
        initialization: str = "keras",
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        policy = self.dtype_policy
        dropout_class = keras.layers.Dropout if inverted_dropout else UnscaledDropout
        kernel_initializer: Any = "glorot_uniform"
        lstm_options = None
        if initialization == "released":
            kernel_initializer = OrthogonalOrNormal(orthogonal=False)
            lstm_options = released_lstm_options()
        self.units = units
        self.embedding = embedding
        self.drop_words = dropout_class(
            dropout, seed=derived_seed(seed, "words"), dtype=policy
        )

        # Section 3.1, input encoding
        if attentive:
            self.encoding = BiALSTM(
                units,
                activation=activation,
                share_attention=share_attention,
                rescale=rescale,
                dtype=policy,
                name="encoding",
            )
        else:
            self.encoding = BiLSTM(
                units, cell=lstm_options, dtype=policy, name="encoding"
            )

        # Section 3.2, local inference
        self.alignment = SoftAlignment(dtype=policy, name="alignment")
        self.projection = keras.layers.Dense(
            units,
            activation=activation,
            kernel_initializer=kernel_initializer,
            dtype=policy,
            name="projection",
        )
        self.drop_projection = dropout_class(
            dropout, seed=derived_seed(seed, "projection"), dtype=policy
        )

        # Section 3.3, inference composition
        if attentive:
            self.composition = BiALSTM(
                units,
                activation=activation,
                share_attention=share_attention,
                rescale=rescale,
                dtype=policy,
                name="composition",
            )
        else:
            self.composition = BiLSTM(
                units, cell=lstm_options, dtype=policy, name="composition"
            )
        self.drop_pooled = dropout_class(
            dropout, seed=derived_seed(seed, "pooled"), dtype=policy
        )
        self.hidden = keras.layers.Dense(
            units,
            activation="tanh",
            kernel_initializer=kernel_initializer,
            dtype=policy,
            name="hidden",
        )
        self.drop_hidden = dropout_class(
            dropout, seed=derived_seed(seed, "hidden"), dtype=policy
        )
        self.logits = keras.layers.Dense(
            outputs,
            kernel_initializer=kernel_initializer,
            dtype="float32",
            name="logits",
        )

    def make_weights(self):
        """Creates all weights from the layers' sizes, without calling a layer."""
        with keras.name_scope(self.name, caller=self):
            words_shape = self.embedding.compute_output_shape((None, None))
            states_shape = (None, None, 2 * self.units)
            self.embedding.build((None, None))
            self.encoding.build(words_shape)
            self.alignment.build(states_shape, states_shape)
            self.projection.build((None, None, 8 * self.units))
            self.composition.build((None, None, self.units))
            self.hidden.build((None, 8 * self.units))
            self.logits.build((None, self.units))
        self.built = True

    def call(self, inputs: dict[str, Tensor], training=None, maps=None):
        # (B, P) and (B, Q)
        premise, hypothesis = inputs["premise"], inputs["hypothesis"]
        premise_mask, hypothesis_mask = token_mask(premise), token_mask(hypothesis)
        # (B, P, D) and (B, Q, D)
        premise_words = self.drop_words(self.embedding(premise), training=training)
        hypothesis_words = self.drop_words(
            self.embedding(hypothesis), training=training
        )

        # Section 3.1, input encoding: (B, P, 2 units) and (B, Q, 2 units)
        premise_states, hypothesis_states = self._read_both(
            self.encoding,
            premise_words,
            hypothesis_words,
            premise_mask,
            hypothesis_mask,
            training,
            maps,
        )

        # Section 3.2, local inference: (B, P, 2 units) and (B, Q, 2 units), for each
        # token the weighted sum of the other sentence's states
        attended_hypothesis, attended_premise = call_layer(
            self.alignment,
            maps,
            premise_states,
            hypothesis_states,
            premise_mask,
            hypothesis_mask,
        )
        # (B, P, units) and (B, Q, units)
        enhanced_premise = self._enhance(premise_states, attended_hypothesis, training)
        enhanced_hypothesis = self._enhance(
            hypothesis_states, attended_premise, training
        )

        # Section 3.3, inference composition: (B, P, 2 units) and (B, Q, 2 units)
        composed_premise, composed_hypothesis = self._read_both(
            self.composition,
            enhanced_premise,
            enhanced_hypothesis,
            premise_mask,
            hypothesis_mask,
            training,
            maps,
        )
        # (B, 8 units)
        pooled = ops.concatenate(
            [
                mean_pool(composed_premise, premise_mask),
                max_pool(composed_premise, premise_mask),
                mean_pool(composed_hypothesis, hypothesis_mask),
                max_pool(composed_hypothesis, hypothesis_mask),
            ],
            axis=-1,
        )
        # (B, units)
        hidden = self.hidden(self.drop_pooled(pooled, training=training))
        # (B, outputs)
        return self.logits(self.drop_hidden(hidden, training=training))

    def explain(self, inputs: dict[str, Tensor]) -> tuple[Tensor, list[TokenMap]]:
        """Returns the logits and the attention maps of a batch, with dropout off.

        The maps are the `alignment` of both sentences, in both directions. aESIM
        adds the word attention of the parts `encoding` and `composition`.
        """
        maps = []
        return self.call(inputs, training=False, maps=maps), maps

    def _enhance(self, states, attended, training):
        """Compares each token's state with its attended state, and projects the
        result."""
        # (B, L, 8 units)
        compared = ops.concatenate(
            [states, attended, states - attended, states * attended], axis=-1
        )
        # (B, L, units)
        return self.drop_projection(self.projection(compared), training=training)

    def _read_both(  # noqa: PLR0913 (tensors of both sentences)
        self,
        layer,
        premise,
        hypothesis,
        premise_mask,
        hypothesis_mask,
        training,
        maps,
    ):
        """Runs both sentences through a recurrent layer as one batch of `2 B` rows.

        The LSTM takes as many steps as the longer sentence has tokens; two separate
        calls would take the sum of both lengths.

        Args:
            layer: `BiLSTM` or `BiALSTM`.
            premise, hypothesis: tensors `(B, P, D)` and `(B, Q, D)`.
            premise_mask, hypothesis_mask: bool tensors `(B, P)` and `(B, Q)`.
            training: whether dropout is on.
            maps: list to which the layer's `TokenMap`s are appended, or `None`.

        Returns: states, tensors `(B, P, 2 units)` and `(B, Q, 2 units)`.
        """
        batch, premise_length = tensor_shape(premise)[:2]
        hypothesis_length = tensor_shape(hypothesis)[1]
        length = _maximum(premise_length, hypothesis_length)
        # (2 B, max(P, Q), D)
        tokens = ops.concatenate(
            [
                ops.pad(premise, [[0, 0], [0, length - premise_length], [0, 0]]),
                ops.pad(hypothesis, [[0, 0], [0, length - hypothesis_length], [0, 0]]),
            ]
        )
        # (2 B, max(P, Q))
        mask = ops.concatenate(
            [
                ops.pad(premise_mask, [[0, 0], [0, length - premise_length]]),
                ops.pad(hypothesis_mask, [[0, 0], [0, length - hypothesis_length]]),
            ]
        )
        # (2 B, max(P, Q), 2 units)
        if maps is None:
            states = layer(tokens, mask, training=training)
        else:
            states, layer_maps = layer(
                tokens, mask, training=training, return_attention=True
            )
            for layer_map in layer_maps:
                values = layer_map.values
                maps += [
                    dataclasses.replace(
                        layer_map,
                        values=values[:batch, :premise_length],
                        part=layer.name,
                        sentence="premise",
                    ),
                    dataclasses.replace(
                        layer_map,
                        values=values[batch:, :hypothesis_length],
                        part=layer.name,
                        sentence="hypothesis",
                    ),
                ]
        return states[:batch, :premise_length], states[batch:, :hypothesis_length]


def _maximum(first, second):
    """Returns the larger length; lengths are tensors if they are known only at run
    time."""
    if ops.is_tensor(first) or ops.is_tensor(second):
        return ops.maximum(first, second)
    return max(first, second)

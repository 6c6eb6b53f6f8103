"""ESIM and aESIM, pair models with soft alignment of premise and hypothesis."""

from typing import Any

import keras
from keras import ops

from dsa.backends.compilation import BaseModel
from dsa.explanation import TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.attention_maps import call_layer
from dsa.layers.bilstm import BiLSTM
from dsa.layers.masks import Tensor, token_mask
from dsa.layers.pooling import max_pool, mean_pool
from dsa.layers.soft_alignment import SoftAlignment
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.esim.attentive_bilstm import BiALSTM
from dsa.models.esim.joint_batch import encode_jointly
from dsa.models.esim.released_code import (
    NUM_GATES,
    OrthogonalOrNormal,
    UnscaledDropout,
)
from dsa.seeds import derived_seed
from dsa.tasks.task import PAIR

INITIALIZATIONS = ("keras", "released")


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
        embedding: layer that maps token ids `(B, L)` to word vectors `(B, L, D)`.
        outputs: number of logits.
        units: integer, number of features of each LSTM direction, of the projection and
            of the hidden layer.
        dropout: rate of all dropout layers.
        activation: name of the Keras activation of the projection.
        attentive: whether to use `BiALSTM` instead of `BiLSTM`, as in aESIM.
        share_attention, rescale: see `BiALSTM`; ignored unless `attentive`.
        inverted_dropout: whether to use `keras.layers.Dropout`. If `False`, use
            `UnscaledDropout`.
        initialization: "keras" for the default initializers of Keras, or "released" for
            the initializers of `dsa.models.esim.released_code`. `BiALSTM` ignores this
            argument.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments:
        inputs: dictionary of token ids, int tensors `premise` `(B, P)` and `hypothesis`
            `(B, Q)`. Id 0 is padding.
        maps: list to which `TokenMap`s are appended, used by `explain`.

    Returns: tensor of logits, float32 `(B, outputs)`.

    Reference: Chen et al. 2017 (arXiv:1609.06038), section 3. The dropout layers follow
    the released code. Li et al. 2019, section 2, for aESIM.

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
        check_choice("initialization", initialization, INITIALIZATIONS)
        policy = self.dtype_policy
        kernel_initializer: Any = "glorot_uniform"
        lstm_initializer: Any = "glorot_uniform"
        recurrent_initializer: Any = "orthogonal"
        if initialization == "released":
            kernel_initializer = OrthogonalOrNormal(orthogonal=False)
            lstm_initializer = OrthogonalOrNormal(gates=NUM_GATES)
            recurrent_initializer = OrthogonalOrNormal(gates=NUM_GATES)
        dropout_class: Any = UnscaledDropout
        if inverted_dropout:
            dropout_class = keras.layers.Dropout
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
                units,
                kernel_initializer=lstm_initializer,
                recurrent_initializer=recurrent_initializer,
                unit_forget_bias=initialization != "released",
                dtype=policy,
                name="encoding",
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
                units,
                kernel_initializer=lstm_initializer,
                recurrent_initializer=recurrent_initializer,
                unit_forget_bias=initialization != "released",
                dtype=policy,
                name="composition",
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
        """Creates all weights from the sizes of the layers, without a call."""
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

    def call(
        self,
        inputs: dict[str, Tensor],
        training: bool | None = None,
        maps: list[TokenMap] | None = None,
    ):
        # (B, P) and (B, Q)
        premise, hypothesis = inputs["premise"], inputs["hypothesis"]
        premise_mask, hypothesis_mask = token_mask(premise), token_mask(hypothesis)
        # (B, P, D) and (B, Q, D)
        premise_words = self.drop_words(self.embedding(premise), training=training)
        hypothesis_words = self.drop_words(
            self.embedding(hypothesis), training=training
        )

        # Section 3.1, input encoding: (B, P, 2 units) and (B, Q, 2 units)
        premise_states, hypothesis_states = encode_jointly(
            self.encoding,
            premise_words,
            hypothesis_words,
            premise_mask,
            hypothesis_mask,
            training,
            maps,
        )

        # Section 3.2, local inference: (B, P, 2 units) and (B, Q, 2 units), sums of the
        # states of the other sentence, weighted by attention
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
        composed_premise, composed_hypothesis = encode_jointly(
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
        """Returns the logits and the attention maps of a batch, without dropout.

        The maps are the `alignment` of each sentence over the other sentence. For
        aESIM, they also include the word attention of the layers `encoding` and
        `composition`.
        """
        maps = []
        return self.call(inputs, training=False, maps=maps), maps

    def _enhance(
        self, states: Tensor, attended: Tensor, training: bool | None
    ) -> Tensor:
        """Computes m from the states and the attended states of a sentence.

        Args:
            states, attended: tensors `(B, L, 2 units)`.
            training: whether dropout is active.

        Returns: tensor `(B, L, units)`.
        """
        # (B, L, 8 units)
        compared = ops.concatenate(
            [states, attended, states - attended, states * attended], axis=-1
        )
        # (B, L, units)
        return self.drop_projection(self.projection(compared), training=training)

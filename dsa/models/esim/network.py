"""ESIM and aESIM: each sentence is read beside the other."""

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
from dsa.models.esim.released_forms import (
    OrthogonalOrNormal,
    UnscaledDropout,
    recurrent_options,
)
from dsa.seeds import derived_seed
from dsa.tasks.task import PAIR


@keras.saving.register_keras_serializable(package="dsa")
class ESIM(BaseModel):
    """The Enhanced Sequential Inference Model: it reads two sentences together.

        a, b = BiLSTM(Dropout(x_a)), BiLSTM(Dropout(x_b))
        a~, b~ = SoftAlignment(a, b)
        m_a = Dropout(ReLU([a; a~; a - a~; a * a~] W + c)),  m_b likewise
        v_a, v_b = BiLSTM'(m_a), BiLSTM'(m_b)
        v = [mean v_a; max v_a; mean v_b; max v_b], over real tokens
        logits = W_2 Dropout(tanh(W_1 Dropout(v) + c_1)) + c_2

    a are the states of the premise, b those of the hypothesis. Both sentences share all
    weights. aESIM has `BiALSTM`s instead of both Bi-LSTMs, and SELU instead of ReLU.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        outputs: number of logits.
        units: features of each direction, of the projection and of the hidden layer.
        dropout: dropped share, see above.
        activation: name of the projection's Keras activation.
        attentive: `True` for aESIM.
        share_attention, rescale: see `BiALSTM`; only for aESIM.
        inverted_dropout: `False` for `UnscaledDropout`.
        initialization: `keras`, or `released`, see `dsa.models.esim.released_forms`;
            the latter only for ESIM.
        seed: the dropouts' seeds are derived from it; `None` for unseeded ones.

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
        released = initialization == "released"

        def make_dropout(name):
            form = keras.layers.Dropout if inverted_dropout else UnscaledDropout
            return form(dropout, seed=derived_seed(seed, name), dtype=policy)

        def make_dense(features, activation=None, dtype=policy, name=None):
            kernel: Any = "glorot_uniform"
            if released:
                kernel = OrthogonalOrNormal(orthogonal=False)
            return keras.layers.Dense(
                features, activation, kernel_initializer=kernel, dtype=dtype, name=name
            )

        def make_recurrent(name):
            if not attentive:
                cell = recurrent_options() if released else None
                return BiLSTM(units, cell=cell, dtype=policy, name=name)
            return BiALSTM(
                units, activation, share_attention, rescale, dtype=policy, name=name
            )

        self.units = units
        self.embedding = embedding
        self.drop_words = make_dropout("words")
        self.encoding = make_recurrent("encoding")
        self.alignment = SoftAlignment(dtype=policy, name="alignment")
        self.projection = make_dense(units, activation, name="projection")
        self.drop_projection = make_dropout("projection")
        self.composition = make_recurrent("composition")
        self.drop_pooled = make_dropout("pooled")
        self.hidden = make_dense(units, "tanh", name="hidden")
        self.drop_hidden = make_dropout("hidden")
        self.logits = make_dense(outputs, dtype="float32", name="logits")

    def make_weights(self):
        """Make all weights, from the sizes of the layers only: no layer is called."""
        with keras.name_scope(self.name, caller=self):
            words = self.embedding.compute_output_shape((None, None))
            states = (None, None, 2 * self.units)
            self.embedding.build((None, None))
            self.encoding.build(words)
            self.alignment.build(states, states)
            self.projection.build((None, None, 8 * self.units))
            self.composition.build((None, None, self.units))
            self.hidden.build((None, 8 * self.units))
            self.logits.build((None, self.units))
        self.built = True

    def call(self, inputs: dict[str, Tensor], training=None, maps=None):
        premise, hypothesis = (inputs[name] for name in self.sentences)
        # (B, P) and (B, Q)
        masks = [token_mask(premise), token_mask(hypothesis)]
        premise_mask, hypothesis_mask = masks
        # (B, P, D) and (B, Q, D)
        premise_words = self.drop_words(self.embedding(premise), training=training)
        hypothesis_words = self.drop_words(
            self.embedding(hypothesis), training=training
        )

        # Section 3.1, input encoding: (B, P, 2 units) and (B, Q, 2 units)
        premise_states, hypothesis_states = self._read_both(
            self.encoding, (premise_words, hypothesis_words), masks, training, maps
        )

        # Section 3.2, local inference: (B, P, 2 units) and (B, Q, 2 units), for each
        # token what it looked at in the other sentence
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
            (enhanced_premise, enhanced_hypothesis),
            masks,
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
        """Logits, and a list of `TokenMap`s: the `alignment` of each sentence over the
        other one; for aESIM also the word attention of the parts `encoding` and
        `composition`. Dropout is off."""
        maps = []
        return self.call(inputs, training=False, maps=maps), maps

    def _enhance(self, states, attended, training):
        """The projection of a token's state beside what it looked at."""
        # (B, L, 8 units)
        compared = ops.concatenate(
            [states, attended, states - attended, states * attended], axis=-1
        )
        # (B, L, units)
        return self.drop_projection(self.projection(compared), training=training)

    def _read_both(self, layer, sentences, masks, training, maps):
        """Both sentences through a recurrent layer, as one batch of `2 B` rows: so an
        LSTM takes as many steps as the longer sentence has, not as both have.

        `(B, P, D)` and `(B, Q, D)` to `(B, P, 2 units)` and `(B, Q, 2 units)`.
        """
        batch = tensor_shape(sentences[0])[0]
        lengths = [tensor_shape(sentence)[1] for sentence in sentences]
        longest = _longer(*lengths)

        def join(tensors):  # (2 B, longest, ...)
            return ops.concatenate(
                [
                    ops.pad(
                        tensor, [[0, 0], [0, longest - length], [0, 0]][: tensor.ndim]
                    )
                    for tensor, length in zip(tensors, lengths, strict=True)
                ]
            )

        def split(tensor):  # (B, P, ...) and (B, Q, ...)
            return tensor[:batch, : lengths[0]], tensor[batch:, : lengths[1]]

        new_maps = None if maps is None else []
        states = call_layer(
            layer, new_maps, join(sentences), join(masks), training=training
        )
        for both in new_maps or []:
            maps += [  # pyright: ignore[reportOperatorIssue] (a list if there are any)
                dataclasses.replace(
                    both, values=values, part=layer.name, sentence=sentence
                )
                for sentence, values in zip(
                    self.sentences, split(both.values), strict=True
                )
            ]
        return split(states)


def _longer(first, second):
    if ops.is_tensor(first) or ops.is_tensor(second):
        return ops.maximum(first, second)  # lengths that are known when it runs
    return max(first, second)

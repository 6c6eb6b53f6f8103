"""ESIM and aESIM: each sentence is read in the light of the other."""

import keras
from keras import ops

from dsa.backends.scanned_model import BaseModel
from dsa.layers.bilstm import BiLSTM
from dsa.layers.masks import token_mask
from dsa.layers.pooling import max_pool, mean_pool
from dsa.models.esim.attentive_bilstm import BiALSTM
from dsa.models.esim.soft_alignment import SoftAlignment
from dsa.seeds import derived_seed
from dsa.tasks.inputs import PAIR


@keras.saving.register_keras_serializable(package="dsa")
class ESIM(BaseModel):
    """The Enhanced Sequential Inference Model, a joint model of two sentences.

        a, b = BiLSTM(Dropout(x_a)), BiLSTM(Dropout(x_b))
        a~, b~ = SoftAlignment(a, b)
        m_a = Dropout(ReLU([a; a~; a - a~; a * a~] W + c)),  m_b likewise
        v_a, v_b = BiLSTM'(m_a), BiLSTM'(m_b)
        v = [mean v_a; max v_a; mean v_b; max v_b], over real tokens
        logits = W_2 Dropout(tanh(W_1 Dropout(v) + c_1)) + c_2

    All weights are shared between the two sentences. aESIM has `BiALSTM`s in the place
    of both Bi-LSTMs and SELU in that of ReLU.

    Args:
        embedding: layer, ids `(B, L)` to vectors `(B, L, D)`.
        outputs: number of logits.
        units: features of each direction, of the projection and of the hidden layer.
        dropout: dropped share, see above.
        activation: name of the projection's Keras activation.
        attentive: `True` for aESIM.
        share_attention, rescale: see `BiALSTM`; for aESIM alone.
        seed: the dropouts' seeds are derived from it; `None` for unseeded ones.

    Call arguments:
        inputs: dictionary of int tensors `premise` `(B, P)` and `hypothesis` `(B, Q)`,
            token ids, 0 is padding.

    Returns: logits, tensor `(B, outputs)`, float32.

    Reference: Chen et al. 2017 (arXiv:1609.06038), section 3, and its released code for
    the dropouts; Li et al. 2019, section 2.
    """

    sentences = PAIR

    def __init__(
        self,
        embedding,
        outputs=3,
        units=300,
        dropout=0.5,
        activation="relu",
        attentive=False,
        share_attention=False,
        rescale=False,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        policy = self.dtype_policy

        def drop(name):
            seeded = derived_seed(seed, name)
            return keras.layers.Dropout(dropout, seed=seeded, dtype=policy)

        def recurrent(name):
            if not attentive:
                return BiLSTM(units, dtype=policy, name=name)
            return BiALSTM(
                units, activation, share_attention, rescale, dtype=policy, name=name
            )

        self.embedding = embedding
        self.drop_words = drop("words")
        self.encoding = recurrent("encoding")
        self.alignment = SoftAlignment(dtype=policy, name="alignment")
        self.projection = keras.layers.Dense(
            units, activation, dtype=policy, name="projection"
        )
        self.drop_projection = drop("projection")
        self.composition = recurrent("composition")
        self.drop_pooled = drop("pooled")
        self.hidden = keras.layers.Dense(units, "tanh", dtype=policy, name="hidden")
        self.drop_hidden = drop("hidden")
        self.logits = keras.layers.Dense(outputs, dtype="float32", name="logits")

    def call(self, inputs, training=None):
        return self._logits(inputs, training)[0]

    def explain(self, inputs):
        """What the model looked at: a dictionary of named tensors.

        `logits`; `premise.alignment` `(B, P, Q)`, the premise tokens' weights over the
        hypothesis, and `hypothesis.alignment` `(B, Q, P)`; for aESIM the word attention
        of both layers, as `premise.encoding_word_attention_forward` `(B, P)`. Dropout
        is off.
        """
        logits, named = self._logits(inputs, training=False)
        return {"logits": logits, **named}

    def _logits(self, inputs, training):
        masks = [token_mask(inputs[name]) for name in self.sentences]
        words = [self.embedding(inputs[name]) for name in self.sentences]
        words = [self.drop_words(each, training=training) for each in words]
        encoded, named = self._read(self.encoding, words, masks, training)
        aligned, weights = self.alignment(*encoded, *masks, return_attention=True)
        named |= {
            f"{name}.alignment": each
            for name, each in zip(self.sentences, weights, strict=True)
        }
        enhanced = [
            self.projection(ops.concatenate([x, y, x - y, x * y], axis=-1))
            for x, y in zip(encoded, aligned, strict=True)
        ]
        enhanced = [self.drop_projection(each, training=training) for each in enhanced]
        composed, more = self._read(self.composition, enhanced, masks, training)
        pooled = [
            pool(each, mask)
            for each, mask in zip(composed, masks, strict=True)
            for pool in (mean_pool, max_pool)
        ]
        pooled = self.drop_pooled(ops.concatenate(pooled, axis=-1), training=training)
        hidden = self.drop_hidden(self.hidden(pooled), training=training)
        return self.logits(hidden), {**named, **more}

    def _read(self, layer, sequences, masks, training):
        """Both sentences in one batch: an LSTM takes as many steps as the longer has,
        in the place of as many as both have."""
        batch = ops.shape(sequences[0])[0]
        lengths = [ops.shape(each)[1] for each in sequences]
        longest = _longest(*lengths)

        def joined(tensors):
            return ops.concatenate(
                [
                    ops.pad(each, [[0, 0], [0, longest - n], [0, 0]][: each.ndim])
                    for each, n in zip(tensors, lengths, strict=True)
                ]
            )

        output, attention = layer(
            joined(sequences), joined(masks), training=training, return_attention=True
        )

        def split(tensor):
            return tensor[:batch, : lengths[0]], tensor[batch:, : lengths[1]]

        return split(output), {
            f"{name}.{layer.name}_{key}": each
            for key, both in attention.items()
            for name, each in zip(self.sentences, split(both), strict=True)
        }


def _longest(first, second):
    if ops.is_tensor(first) or ops.is_tensor(second):
        return ops.maximum(first, second)  # TensorFlow knows them when it runs
    return max(first, second)

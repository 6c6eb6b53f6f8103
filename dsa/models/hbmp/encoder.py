"""Bi-LSTMs that hand on their last states, each pooled by its maximum."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import describe_maps
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding
from dsa.layers.pooling import make_max_pooling_map, max_pool


@keras.saving.register_keras_serializable(package="dsa")
class HBMPEncoder(MaskedLayer):
    """Hierarchical Bi-LSTM max pooling.

        H_1, e_1 = BiLSTM_1(x, 0);  H_n, e_n = BiLSTM_n(x, e_(n - 1))
        sentence = [max_i H_1,i; max_i H_2,i; ...]

    e are the last states of both directions: what they give out and their cells.

    Differs from the released code: there the maximum and the last states are of padding
    too, so that a sentence has another vector in another batch.

    Args:
        units: features of each direction.
        layers: number of Bi-LSTMs.
        dropout: dropped share of the words x, the same for all Bi-LSTMs.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`, word vectors.

    Returns: tensor `(B, layers x 2 units)`. `TokenMap`s: `max_pooling` `(B, 2 units)`
        of each Bi-LSTM.

    Reference: Talman et al. 2019, section 3, figure 1; the released `embeddings.py`.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(HBMPEncoder(units=4)(x).shape)
        (2, 24)
    """

    def __init__(
        self,
        units: int = 600,
        layers: int = 3,
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.layers = layers
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = self.make_dropout("words")
        self.bilstms = []
        for number in range(1, self.layers + 1):
            returned = {"return_sequences": True, "return_state": True}
            lstm = keras.layers.LSTM(
                self.units, **returned, dtype=self.dtype_policy, name="lstm"
            )
            form, name = keras.layers.Bidirectional, f"bilstm_{number}"
            self.bilstms.append(self.build_part(form, name, input_shape, lstm))

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        x = self.drop(x, training=training)
        maxima, maps, states = [], [], None
        for number, bilstm in enumerate(self.bilstms, start=1):
            # (B, L, 2 units): H; four states (B, units): e
            tokens, *states = bilstm(
                x, initial_state=states, mask=mask, training=training
            )
            maxima.append(max_pool(tokens, mask))  # (B, 2 units)
            if return_attention:
                pooled = make_max_pooling_map(tokens, mask)
                maps += describe_maps([pooled], part=f"bilstm_{number}")
        sentence = ops.concatenate(maxima, axis=-1)
        return (sentence, maps) if return_attention else sentence

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.layers * 2 * self.units)

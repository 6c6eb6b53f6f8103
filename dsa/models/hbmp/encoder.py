"""HBMP encoder: max-pooled Bi-LSTMs, each initialized with the final state of the
previous one."""

from typing import Any

import keras
from keras import ops

from dsa.layers.attention_maps import replace_map_fields
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding
from dsa.layers.pooling import make_max_pooling_map, max_pool
from dsa.seeds import derived_seed


@keras.saving.register_keras_serializable(package="dsa")
class HBMPEncoder(MaskedLayer):
    """Sentence encoder: hierarchical Bi-LSTM max pooling (HBMP).

        H_1, e_1 = BiLSTM_1(x, 0);  H_n, e_n = BiLSTM_n(x, e_(n - 1))
        sentence = [max_i H_1,i; max_i H_2,i; ...]

    e consists of the final hidden states and cells of both directions.

    Unlike in the released code, maxima and final states exclude padding, so a sentence
    vector does not depend on the rest of the batch.

    Args:
        units: integer, number of features per direction.
        layers: number of Bi-LSTMs.
        dropout: dropout rate of x; all Bi-LSTMs share the dropout mask.
        seed: integer from which the seed of the dropout is derived; `None` for an
            unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`, word vectors.

    Returns: tensor `(B, layers x 2 units)`. With `return_attention=True`, also a list
        with a `TokenMap` `max_pooling` `(B, 2 units)` for each Bi-LSTM.

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
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "words"),
            dtype=self.dtype_policy,
        )
        self.bilstms = []
        for number in range(1, self.layers + 1):
            bilstm = keras.layers.Bidirectional(
                keras.layers.LSTM(
                    self.units,
                    return_sequences=True,
                    return_state=True,
                    dtype=self.dtype_policy,
                    name="lstm",
                ),
                dtype=self.dtype_policy,
                name=f"bilstm_{number}",
            )
            bilstm.build(input_shape)
            self.bilstms.append(bilstm)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        x = clear_padding(x, mask)
        x = self.drop(x, training=training)
        maxima = []
        maps = []
        e = None  # initial states of 0
        for number, bilstm in enumerate(self.bilstms, start=1):
            # (B, L, 2 units), and four states (B, units)
            H, *e = bilstm(x, initial_state=e, mask=mask, training=training)
            # (B, 2 units)
            maxima.append(max_pool(H, mask))
            if return_attention:
                maps += replace_map_fields(
                    [make_max_pooling_map(H, mask)], part=f"bilstm_{number}"
                )
        # (B, layers x 2 units)
        sentence = ops.concatenate(maxima, axis=-1)
        return (sentence, maps) if return_attention else sentence

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.layers * 2 * self.units)

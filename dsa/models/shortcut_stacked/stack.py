"""Bi-LSTMs one over the other, with shortcuts from the words and from all before."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from dsa.layers.bilstm import BiLSTM
from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import Mask, MaskedLayer, Tensor

SHORTCUTS = ("residual", "concatenate")


@keras.saving.register_keras_serializable(package="dsa")
class ShortcutStack(MaskedLayer):
    """Bi-LSTMs; each reads the words, and the states h of those before it.

        residual:     h_n = BiLSTM_n([x; h_1 + ... + h_(n - 1)])
        concatenate:  h_n = BiLSTM_n([x; h_1; ...; h_(n - 1)])

    Args:
        units: features of each direction, one number a Bi-LSTM; equal ones for
            "residual".
        shortcut: "residual" or "concatenate".
        dropout: dropped share of the words x, the same for all Bi-LSTMs.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`, word vectors.

    Returns: the last states, tensor `(B, L, 2 units[-1])`, 0 at padding.

    Raises: `ValueError` for an unknown `shortcut`.

    Reference: Nie & Bansal 2017, section 2.1, concatenates; the released
    `res_encoder.py` adds.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(ShortcutStack([3, 4, 6], "concatenate")(x).shape)
        (2, 5, 12)
    """

    def __init__(
        self,
        units: Sequence[int],
        shortcut: str = "residual",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("shortcut", shortcut, SHORTCUTS)
        self.units = list(units)
        self.shortcut = shortcut
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = self.make_dropout("words")
        self.bilstms, states = [], 0
        for number, units in enumerate(self.units, start=1):
            shape = (*input_shape[:-1], input_shape[-1] + states)
            bilstm = self.build_part(BiLSTM, f"bilstm_{number}", shape, units)
            self.bilstms.append(bilstm)
            states = 2 * units + (states if self.shortcut == "concatenate" else 0)

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = self.drop(x, training=training)
        states = []  # h_1, h_2, ..., each (B, L, 2 units)
        for bilstm in self.bilstms:
            # (B, L, D + features of the shortcut)
            inputs = ops.concatenate([x, *self._shortcut(states)], axis=-1)
            states.append(bilstm(inputs, mask=mask, training=training))
        return (states[-1], []) if return_attention else states[-1]

    def _shortcut(self, states):
        """What is read of the states so far: their sum, or all of them."""
        if self.shortcut == "residual" and states:
            return [sum(states)]
        return states

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units[-1])

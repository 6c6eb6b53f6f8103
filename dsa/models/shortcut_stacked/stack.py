"""Stacked Bi-LSTMs with shortcuts from the words and from all earlier Bi-LSTMs."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from dsa.layers.argument_checks import check_choice
from dsa.layers.bilstm import BiLSTM
from dsa.layers.masks import Mask, MaskedLayer, Tensor
from dsa.seeds import derived_seed

SHORTCUTS = ("residual", "concatenate")


@keras.saving.register_keras_serializable(package="dsa")
class ShortcutStack(MaskedLayer):
    """Stack of Bi-LSTMs over the words x and the states h of all earlier Bi-LSTMs.

        residual:     h_n = BiLSTM_n([x; h_1 + ... + h_(n - 1)])
        concatenate:  h_n = BiLSTM_n([x; h_1; ...; h_(n - 1)])

    Args:
        units: number of features per direction of each Bi-LSTM, a list of integers;
            all must be equal for "residual".
        shortcut: "residual" or "concatenate".
        dropout: dropout rate of x; all Bi-LSTMs share the dropout mask.
        seed: integer from which the seed of the dropout layer is derived; `None` for
            unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`, word vectors.

    Returns: tensor `(B, L, 2 units[-1])`, states of the last Bi-LSTM, 0 at padding.

    Raises: `ValueError` if `shortcut` is unknown.

    Reference: Nie & Bansal 2017, section 2.1, for "concatenate"; the released
    `res_encoder.py` for "residual".

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
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "words"),
            dtype=self.dtype_policy,
        )
        self.bilstms = []
        shortcut_features = 0
        for number, units in enumerate(self.units, start=1):
            bilstm = BiLSTM(units, dtype=self.dtype_policy, name=f"bilstm_{number}")
            bilstm.build((*input_shape[:-1], input_shape[-1] + shortcut_features))
            self.bilstms.append(bilstm)
            if self.shortcut == "concatenate":
                shortcut_features += 2 * units
            else:
                shortcut_features = 2 * units

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        x = self.drop(x, training=training)
        states = []  # h_1, h_2, ..., each (B, L, 2 units)
        for bilstm in self.bilstms:
            if self.shortcut == "residual" and states:
                inputs = [x, sum(states)]
            else:
                inputs = [x, *states]
            # (B, L, D + features of the shortcut)
            joined = ops.concatenate(inputs, axis=-1)
            # (B, L, 2 units)
            states.append(bilstm(joined, mask=mask, training=training))
        return (states[-1], []) if return_attention else states[-1]

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units[-1])

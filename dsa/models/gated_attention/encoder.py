"""Stacked Bi-LSTMs with shortcuts, pooled in three ways."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.bilstm import BiLSTM
from dsa.layers.composed_layer import check_choice
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding
from dsa.layers.pooling import make_max_pooling_map, max_pool, mean_pool

COLUMNS = {"input": 0, "forget": 1, "output": 3}  # of Keras's kernels; 2 is the cell


def compute_gates(bilstm: BiLSTM, x: Tensor, states: Tensor, gate: str) -> Tensor:
    """A gate of both directions at every token.

        i_t = sigmoid(W x_t + U h_(t-1) + b), in the backward direction h_(t+1)

    A gate depends on no cell, so all tokens are computed at once, after Keras's own
    LSTM has made the states.

    Args:
        bilstm: a `BiLSTM` without dropout.
        x, states: what it has read, tensor `(B, L, D)`, and what it has made of it,
            `(B, L, 2 units)`, both 0 at padding.
        gate: one of `COLUMNS`; "forget" is 1 - f_t.

    Returns: tensor `(B, L, 2 units)`.
    """
    units = bilstm.units
    first = COLUMNS[gate] * units
    # the state before each token, which in the backward direction is the next token's
    earlier = ops.pad(states[:, :-1, :units], ((0, 0), (1, 0), (0, 0)))
    later = ops.pad(states[:, 1:, units:], ((0, 0), (0, 1), (0, 0)))
    gates = []
    for layer, before in (
        (bilstm.lstm.forward_layer, earlier),
        (bilstm.lstm.backward_layer, later),
    ):
        cell = layer.cell
        weights: list[Any] = [
            ops.convert_to_tensor(weight)
            for weight in (cell.kernel, cell.recurrent_kernel, cell.bias)
        ]
        kernel, recurrent, bias = (w[..., first : first + units] for w in weights)
        sums = ops.matmul(x, kernel) + ops.matmul(before, recurrent) + bias
        gates.append(ops.sigmoid(sums))
    gates = ops.concatenate(gates, axis=-1)
    return 1 - gates if gate == "forget" else gates


@keras.saving.register_keras_serializable(package="dsa")
class GatedAttentionEncoder(MaskedLayer):
    """Word vectors to `[mean; max; gated attention]` of the last Bi-LSTM's states.

        h^1 = BiLSTM_1(x);  h^k = BiLSTM_k([x; h^(k-1)])
        v_g = sum_t (|i_t| / sum_j |i_j|) h_t

    i_t are the input gates of both directions of the last Bi-LSTM, |i_t| their
    Euclidean norm. Padding has weight 0 and never wins the maximum.

    Args:
        units: features of each direction of every Bi-LSTM.
        layers: number of Bi-LSTMs.
        gate: "input"; "forget", then 1 - f_t is i_t; or "output".
        dropout: dropped share of x, the same for all Bi-LSTMs.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`, word vectors.

    Returns: tensor `(B, 6 units)`. `TokenMap`s: `gated_attention` `(B, L)` and
        `max_pooling`.

    Raises: `ValueError` for an unknown gate.

    Reference: Chen et al. 2017, RepEval, section 2; the released code for what each
    Bi-LSTM reads, and for the norm over both directions. Differs from the paper: no
    vectors of characters. Differs from the code: padding, a 0 there, never wins the
    maximum.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(GatedAttentionEncoder(units=3, layers=2)(x).shape)
        (2, 18)
    """

    def __init__(
        self,
        units: int = 600,
        layers: int = 3,
        gate: str = "input",
        dropout: float = 0.5,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("gate", gate, COLUMNS)
        self.units = units
        self.layers = layers
        self.gate = gate
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = self.make_dropout()
        features = input_shape[-1]
        self.bilstms = []
        for number in range(1, self.layers + 1):
            shape = (*input_shape[:-1], features)
            name = f"bilstm_{number}"
            self.bilstms.append(self.build_part(BiLSTM, name, shape, self.units))
            features = input_shape[-1] + 2 * self.units

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = clear_padding(x, mask)
        words = read = self.drop(x, training=training)
        states: Any = None
        for bilstm in self.bilstms:
            # (B, L, D), then (B, L, D + 2 units)
            if states is not None:
                read = ops.concatenate([words, states], axis=-1)
            # (B, L, 2 units): h^k
            states = bilstm(read, mask=mask, training=training)
        # (B, L, 2 units): i_t
        gates = compute_gates(self.bilstms[-1], read, states, self.gate)
        # (B, L): the share of each token
        weights = _share_norms(gates, mask)
        gated = ops.sum(ops.cast(weights, x.dtype)[:, :, None] * states, axis=1)
        # (B, 6 units)
        sentence = ops.concatenate(
            [mean_pool(states, mask), max_pool(states, mask), gated], axis=-1
        )
        if not return_attention:
            return sentence
        attention = TokenMap("gated_attention", MapKind.TOKEN, weights)
        return sentence, [attention, make_max_pooling_map(states, mask)]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], 6 * self.units)


def _share_norms(gates, mask):
    """`|i_t| / sum_j |i_j|` over real tokens: `(B, L)`, float32."""
    norms = ops.sqrt(ops.sum(ops.square(ops.cast(gates, "float32")), axis=-1))
    if mask is not None:
        norms = ops.where(mask, norms, 0)
    return norms / ops.maximum(ops.sum(norms, axis=1, keepdims=True), 1e-7)

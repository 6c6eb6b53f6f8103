"""Stacked Bi-LSTMs with mean, max and gated-attention pooling."""

from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.bilstm import BiLSTM
from dsa.layers.masks import Mask, MaskedLayer, Tensor, clear_padding
from dsa.layers.pooling import make_max_pooling_map, max_pool, mean_pool

# position of each gate in the kernel columns of a Keras LSTM; 2 is the cell candidate
GATE_POSITIONS = {"input": 0, "forget": 1, "output": 3}


def compute_gates(bilstm: BiLSTM, x: Tensor, states: Tensor, gate: str) -> Tensor:
    """Computes a gate of both directions of a Bi-LSTM at each token.

        i_t = sigmoid(W x_t + U h_(t-1) + b), with h_(t+1) in the backward direction

    Gates depend on x and the previous state only, so the gates of all tokens are
    computed at once.

    Args:
        bilstm: a built `BiLSTM` without dropout.
        x: input of the `BiLSTM`, tensor `(B, L, D)`, 0 at padding.
        states: output of the `BiLSTM`, tensor `(B, L, 2 units)`, 0 at padding.
        gate: "input", "forget" or "output".

    Returns: tensor `(B, L, 2 units)`.

    Raises: `ValueError` if `bilstm` has dropout.
    """
    if bilstm.dropout:
        raise ValueError(
            f"`bilstm` must have no dropout. Received: dropout={bilstm.dropout}"
        )
    units = bilstm.units
    position = GATE_POSITIONS[gate]
    columns = slice(position * units, (position + 1) * units)
    # (B, L, units): previous state of each token, 0 for the first token of a direction
    forward_previous = ops.pad(states[:, :-1, :units], ((0, 0), (1, 0), (0, 0)))
    backward_previous = ops.pad(states[:, 1:, units:], ((0, 0), (0, 1), (0, 0)))
    gates = []
    for lstm, previous in (
        (bilstm.lstm.forward_layer, forward_previous),
        (bilstm.lstm.backward_layer, backward_previous),
    ):
        W: Any = ops.convert_to_tensor(lstm.cell.kernel)[:, columns]
        U: Any = ops.convert_to_tensor(lstm.cell.recurrent_kernel)[:, columns]
        b: Any = ops.convert_to_tensor(lstm.cell.bias)[columns]
        # (B, L, units)
        gates.append(ops.sigmoid(ops.matmul(x, W) + ops.matmul(previous, U) + b))
    # (B, L, 2 units)
    return ops.concatenate(gates, axis=-1)


@keras.saving.register_keras_serializable(package="dsa")
class GatedAttentionEncoder(MaskedLayer):
    """Sentence encoder: a stack of Bi-LSTMs with mean, max and gated-attention pooling.

        h^1 = BiLSTM_1(x);  h^k = BiLSTM_k([x; h^(k-1)])
        v_g = sum_t (|i_t| / sum_j |i_j|) h_t
        sentence = [mean_t h_t; max_t h_t; v_g]

    h_t is the state of the last Bi-LSTM at token t, i_t the concatenation of its input
    gates in both directions, and |i_t| the Euclidean norm of i_t. Padding has weight 0
    and is ignored by the maximum.

    Args:
        units: integer, number of features per direction of each Bi-LSTM.
        layers: number of Bi-LSTMs.
        gate: "input" for i_t, "output" for the output gate, or "forget" for 1 - f_t,
            where f_t is the forget gate.
        dropout: dropout rate of x; all Bi-LSTMs share the dropout mask.
        seed: seed of the dropout layer; `None` for unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`, word vectors.

    Returns: tensor `(B, 6 units)`. With `return_attention=True`, also a list of two
        `TokenMap`s: `gated_attention` `(B, L)` and `max_pooling` `(B, 2 units)`.

    Raises: `ValueError` if `gate` is unknown or `layers` is less than 1.

    Reference: Chen et al. 2017, RepEval, section 2. The inputs of each Bi-LSTM and the
    norm over both directions follow the released code.

    Differs from the paper: the encoder has no character vectors. Unlike the released
    code, the maximum excludes padding.

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
        check_choice("gate", gate, GATE_POSITIONS)
        if layers < 1:
            raise ValueError(f"`layers` must be at least 1. Received: {layers}")
        self.units = units
        self.layers = layers
        self.gate = gate
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )
        word_features = input_shape[-1]
        features = word_features
        self.bilstms = []
        for number in range(1, self.layers + 1):
            bilstm = BiLSTM(
                self.units, dtype=self.dtype_policy, name=f"bilstm_{number}"
            )
            bilstm.build((*input_shape[:-1], features))
            self.bilstms.append(bilstm)
            features = word_features + 2 * self.units

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        # (B, L, D)
        x = self.drop(clear_padding(x, mask), training=training)
        inputs = x
        # (B, L, 2 units): h^1
        h = self.bilstms[0](inputs, mask=mask, training=training)
        for bilstm in self.bilstms[1:]:
            # (B, L, D + 2 units)
            inputs = ops.concatenate([x, h], axis=-1)
            # (B, L, 2 units): h^k
            h = bilstm(inputs, mask=mask, training=training)
        # (B, L, 2 units): i_t of the last Bi-LSTM
        gates = compute_gates(self.bilstms[-1], inputs, h, self.gate)
        if self.gate == "forget":
            gates = 1 - gates
        # (B, L): |i_t| / sum_j |i_j| over real tokens
        norms = ops.sqrt(ops.sum(ops.square(ops.cast(gates, "float32")), axis=-1))
        if mask is not None:
            norms = ops.where(mask, norms, 0)
        weights = norms / ops.maximum(ops.sum(norms, axis=1, keepdims=True), 1e-7)
        # (B, 2 units): v_g
        gated = ops.sum(ops.cast(weights, x.dtype)[:, :, None] * h, axis=1)
        # (B, 6 units)
        sentence = ops.concatenate(
            [mean_pool(h, mask), max_pool(h, mask), gated], axis=-1
        )
        if not return_attention:
            return sentence
        token_map = TokenMap("gated_attention", MapKind.TOKEN, weights)
        return sentence, [token_map, make_max_pooling_map(h, mask)]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], 6 * self.units)

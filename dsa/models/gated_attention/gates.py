"""The gates of an LSTM, from its inputs and its states."""

from keras import ops

GATES = ("input", "forget", "output")
COLUMNS = {"input": 0, "forget": 1, "output": 3}  # of Keras's kernels; 2 is the cell


def compute_gates(bilstm, x, states, gate):
    """A gate of both directions at every token.

        i_t = sigmoid(W x_t + U h_(t-1) + b), in the backward direction h_(t+1)

    A gate depends on no cell, so all tokens are computed at once, after Keras's own
    LSTM has made the states.

    Args:
        bilstm: a `BiLSTM` without dropout.
        x: what it has read, tensor `(B, L, D)`, 0 at padding.
        states: what it has made of x, `(B, L, 2 units)`, 0 at padding.
        gate: one of `GATES`; "forget" is 1 - f_t.

    Returns: tensor `(B, L, 2 units)`.
    """
    units = bilstm.units
    first = COLUMNS[gate] * units
    gates = []
    for layer, before in (
        (bilstm.lstm.forward_layer, _shift_forward(states[..., :units])),
        (bilstm.lstm.backward_layer, _shift_backward(states[..., units:])),
    ):
        kernel, recurrent, bias = (
            ops.convert_to_tensor(weight)[..., first : first + units]
            for weight in (
                layer.cell.kernel,
                layer.cell.recurrent_kernel,
                layer.cell.bias,
            )
        )
        sums = ops.matmul(x, kernel) + ops.matmul(before, recurrent) + bias
        gates.append(ops.sigmoid(sums))
    gates = ops.concatenate(gates, axis=-1)
    return 1 - gates if gate == "forget" else gates


def _shift_forward(states):
    """The state before each token of the forward direction."""
    return ops.pad(states[:, :-1], ((0, 0), (1, 0), (0, 0)))


def _shift_backward(states):
    """The state before each token of the backward direction: that of the next token."""
    return ops.pad(states[:, 1:], ((0, 0), (0, 1), (0, 0)))

"""ESIM's and aESIM's equations in NumPy, float64, one pair without padding."""

import numpy as np

from tests.support.equations import sigmoid


def softmax(x):
    """Over the last axis."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def lstm(x, w, backwards=False):
    """States of Hochreiter & Schmidhuber's cell with Gers's forget gate, in the order
    of Keras's kernels: input, forget, cell, output. `(L, D)` to `(L, units)`."""
    units = w["recurrent_kernel"].shape[0]
    h, c, states = np.zeros(units), np.zeros(units), []
    for step in x[::-1] if backwards else x:
        z = step @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"]
        i, f, g, o = np.split(z, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states[::-1] if backwards else states)


def directions(x, w):
    """States of both directions, `w` as `weights_of` a `BiLSTM`."""
    both = w["bidirectional"]
    forward, backward = (
        both[f"{name}_lstm"]["lstm_cell"] for name in ("forward", "backward")
    )
    return lstm(x, forward), lstm(x, backward, backwards=True)


def bilstm(x, w):
    return np.concatenate(directions(x, w), axis=-1)


def word_attention(f, w):
    u = np.tanh(f @ w["hidden"]["kernel"] + w["hidden"]["bias"])
    alpha = softmax(u @ w["context"]["kernel"][:, 0])
    return alpha[:, None] * f, alpha


def selu(x):
    return 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * (np.exp(np.minimum(x, 0)) - 1)
    )


def bialstm(x, w, share=False, rescale=False):
    outputs = []
    for name, f in zip(
        ("forward", "backward"), directions(x, w["bilstm"]), strict=True
    ):
        attention = w[f"attention_{'forward' if share else name}"]
        s, _ = word_attention(f, attention)
        s = s * len(x) if rescale else s
        direction = w[f"direction_{name}"]
        outputs.append(s @ direction["kernel"] + direction["bias"])
    return selu(np.concatenate(outputs, axis=-1))


def soft_alignment(a, b):
    e = a @ b.T
    to_b, to_a = softmax(e), softmax(e.T)
    return to_b @ b, to_a @ a, to_b, to_a


def esim(x_a, x_b, w, attentive=False):
    """Logits of a pair of word vectors; `w` as `weights_of` an `ESIM`."""
    read = bialstm if attentive else bilstm
    a, b = read(x_a, w["encoding"]), read(x_b, w["encoding"])
    a_, b_, _, _ = soft_alignment(a, b)
    pooled = []
    for x, y in ((a, a_), (b, b_)):
        m = np.concatenate([x, y, x - y, x * y], axis=-1)
        m = m @ w["projection"]["kernel"] + w["projection"]["bias"]
        m = selu(m) if attentive else np.maximum(m, 0)
        v = read(m, w["composition"])
        pooled += [v.mean(axis=0), v.max(axis=0)]
    hidden = np.concatenate(pooled) @ w["hidden"]["kernel"] + w["hidden"]["bias"]
    return np.tanh(hidden) @ w["logits"]["kernel"] + w["logits"]["bias"]

"""DiSAN's equations in NumPy float64, feature by feature.

Implemented from the paper, independently of the layers. `w` contains the weights of a
layer by name, see `weights_of`.
"""

import numpy as np

from tests.support.equations import elu, fusion_gate, softmax


def may_attend(direction, i, j):
    return {"forward": j < i, "backward": j > i, "others": j != i}[direction]


def token2token(x, w, direction, scale=5.0):
    """Equations 11 and 15 to 18 for a sentence `(L, D)` without padding."""
    length, units = x.shape
    weights = np.zeros((length, length, units))
    context = np.zeros((length, units))
    for i in range(length):
        keys = [j for j in range(length) if may_attend(direction, i, j)]
        for k in range(units):
            scores = [
                scale
                * np.tanh(
                    (
                        x[j] @ w["looked_at"]["kernel"][:, k]
                        + x[i] @ w["looking"]["kernel"][:, k]
                        + w["looking"]["bias"][k]
                    )
                    / scale
                )
                for j in keys
            ]
            if keys:
                weights[i, keys, k] = softmax(np.array(scores))
            context[i, k] = weights[i, :, k] @ x[:, k]
    return context, weights


def disa_block(x, w, direction, scale=5.0):
    """Equations 14 to 20, with the biases of the released code if `w` has them."""
    h = elu(x @ w["hidden"]["kernel"] + w["hidden"]["bias"])
    context, _ = token2token(h, w["token2token"], direction, scale)
    gate = dict(w["fusion_gate"])
    for name in ("token_projection", "context_projection"):
        gate["bias"] = gate["bias"] + gate[name].get("bias", 0)
    return fusion_gate(h, context, gate, raw=True)[0]


def additive_attention(x, w):
    hidden = elu(x @ w["hidden"]["kernel"] + w["hidden"]["bias"])
    weights = softmax((hidden @ w["score"]["kernel"])[:, 0])
    return weights @ x, weights


def positions(length, units):
    """Sines, then cosines, with wave lengths from 2 pi to 10,000 times 2 pi."""
    half = units // 2
    p = np.zeros((length, units))
    for i in range(length):
        for k in range(half):
            angle = i / 10_000 ** (k / (half - 1))
            p[i, k], p[i, half + k] = np.sin(angle), np.cos(angle)
    return p


def alternating_positions(length, units):
    """Sines at even features, cosines at odd features."""
    p = np.zeros((length, units))
    for i in range(length):
        for k in range(units):
            even = k - k % 2
            angle = i / 10_000 ** (2 * even / units)
            p[i, k] = np.cos(angle) if k % 2 else np.sin(angle)
    return p


def multi_head(x, w, heads):
    x = x + positions(*x.shape)
    q, k, v = (x @ w[name]["kernel"] for name in ("query", "key", "value"))
    size = q.shape[1] // heads
    context = np.zeros_like(q)
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        for i in range(len(x)):
            weights = softmax(k[:, part] @ q[i, part] / np.sqrt(size))
            context[i, part] = weights @ v[:, part]
    return context

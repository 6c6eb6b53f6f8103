"""DiSAN's equations in NumPy float64, feature by feature.

Written from the paper, not from the layers; `w` are the weights of a layer by name.
"""

import numpy as np

from tests.support.equations import elu, fusion_gate, softmax


def may_look(looks_at, i, j):
    return {"forward": j < i, "backward": j > i, "others": j != i}[looks_at]


def token2token(x, w, looks_at, scale=5.0):
    """One sentence `(L, D)` without padding; equations 11 and 15 to 18."""
    length, units = x.shape
    weights = np.zeros((length, length, units))
    context = np.zeros((length, units))
    for i in range(length):
        seen = [j for j in range(length) if may_look(looks_at, i, j)]
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
                for j in seen
            ]
            if seen:
                weights[i, seen, k] = softmax(np.array(scores))
            context[i, k] = weights[i, :, k] @ x[:, k]
    return context, weights


def disa_block(x, w, looks_at, scale=5.0):
    """Equations 14 to 20; the released code's biases are added where they are."""
    h = elu(x @ w["hidden"]["kernel"] + w["hidden"]["bias"])
    context, _ = token2token(h, w["token2token"], looks_at, scale)
    gate = dict(w["fusion_gate"])
    for name in ("token_projection", "context_projection"):
        gate["bias"] = gate["bias"] + gate[name].get("bias", 0)
    return fusion_gate(h, context, gate, raw=True)[0]


def additive_attention(x, w):
    hidden = elu(x @ w["hidden"]["kernel"] + w["hidden"]["bias"])
    weights = softmax((hidden @ w["score"]["kernel"])[:, 0])
    return weights @ x, weights


def positions(length, units):
    """Sines, then cosines, of wave lengths from 2 pi to 10,000 times 2 pi."""
    half = units // 2
    p = np.zeros((length, units))
    for i in range(length):
        for k in range(half):
            angle = i / 10_000 ** (k / (half - 1))
            p[i, k], p[i, half + k] = np.sin(angle), np.cos(angle)
    return p


def alternating_positions(length, units):
    """A sine at even features, a cosine at odd ones."""
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

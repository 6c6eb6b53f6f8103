"""DSA's equations in NumPy float64, token by token where that is clearer.

Written from the paper, not from the layers: loops over heads and positions, no masks by
large numbers, no batches. `w` are the weights of a layer by name.
"""

import numpy as np


def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta


def normalized_dense(x, w, bias=None):
    y = x @ w["kernel"]
    y = y if bias is None else y + bias
    return layer_norm(y, w["gamma"], w["beta"]) if "gamma" in w else y


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def self_attention(x, w, heads, direction, alpha):
    """One sentence `(L, D)` without padding; equations 7 and 8. With the direction
    "others" without M_dir."""
    q, k, v = (normalized_dense(x, w[name]) for name in ("query", "key", "value"))
    length, units = q.shape
    size = units // heads
    weights = np.zeros((heads, length, length))
    context = np.zeros((length, units))
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        for i in range(length):
            before, after = [*range(i)], [*range(i + 1, length)]
            seen = {"forward": before, "backward": after}.get(direction, before + after)
            if not seen:
                continue
            logits = [
                q[i, part] @ k[j, part] / np.sqrt(size) - alpha * abs(i - j)
                for j in seen
            ]
            weights[h, i, seen] = softmax(np.array(logits))
            context[i, part] = weights[h, i] @ v[:, part]
    return normalized_dense(context, w["output_projection"]), weights


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def fusion_gate(tokens, context, w, raw=False):
    """Equations 11 and 12; `raw` mixes the inputs themselves, as DiSAN does, after
    layer normalisation where `w` has one."""
    s = normalized_dense(tokens, w["token_projection"])
    h = normalized_dense(context, w["context_projection"])
    gate = sigmoid(s + h + w["bias"])
    if raw:
        s, h = tokens, context
    if "token_norm" in w:
        s, h = (
            layer_norm(x, w[name]["gamma"], w[name]["beta"])
            for x, name in ((s, "token_norm"), (h, "context_norm"))
        )
    return gate * s + (1 - gate) * h, gate


def feed_forward(x, w):
    """Equation 13 with the residual and the normalisation of figure 2."""
    hidden = np.maximum(0, x @ w["hidden"]["kernel"] + w["hidden"]["bias"])
    y = x + hidden @ w["residual"]["kernel"] + w["residual"]["bias"]
    return layer_norm(y, w["gamma"], w["beta"]) if "gamma" in w else y


def elu(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def source2token(u, w):
    """One sentence `(L, D)`; equations 14 to 16."""
    hidden = elu(normalized_dense(u, w["hidden"], w["hidden"]["bias"]))
    logits = normalized_dense(hidden, w["logits"], w["logits"]["bias"])
    weights = np.stack([softmax(logits[:, d]) for d in range(u.shape[1])], axis=1)
    return (weights * u).sum(0), weights


def encoder(x, w, heads, alpha, directional=True):
    """One sentence `(L, D)` to `[s; m]`, without a block that `w` does not have."""
    directions = []
    for direction in ("forward", "backward"):
        block = w[direction]
        looks_at = direction if directional else "others"
        context, _ = self_attention(x, block["self_attention"], heads, looks_at, alpha)
        token, _ = fusion_gate(x, context, block["fusion_gate"])
        if "feed_forward" in block:
            token = feed_forward(token, block["feed_forward"])
        directions.append(token)
    u = np.concatenate(directions, -1)
    return np.concatenate([source2token(u, w["source2token"])[0], u.max(0)])


def pair_logits(u, v, w):
    features = np.concatenate([u, v, np.abs(u - v), u * v])
    hidden = np.maximum(0, normalized_dense(features, w["hidden"], w["hidden"]["bias"]))
    return hidden @ w["logits"]["kernel"] + w["logits"]["bias"]

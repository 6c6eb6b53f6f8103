"""DSA's equations in NumPy float64, for one sentence at a time.

Implemented from the paper, independently of the layers: loops over heads and positions,
no masks by large numbers, no batches. `w` contains the weights of a layer by name, see
`weights_of`.
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
    """Equations 7 and 8 for a sentence `(L, D)` without padding; without M_dir for the
    direction "others"."""
    q, k, v = (normalized_dense(x, w[name]) for name in ("query", "key", "value"))
    length, units = q.shape
    size = units // heads
    weights = np.zeros((heads, length, length))
    context = np.zeros((length, units))
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        for i in range(length):
            before, after = [*range(i)], [*range(i + 1, length)]
            keys = {"forward": before, "backward": after}.get(direction, before + after)
            if not keys:
                continue
            logits = [
                q[i, part] @ k[j, part] / np.sqrt(size) - alpha * abs(i - j)
                for j in keys
            ]
            weights[h, i, keys] = softmax(np.array(logits))
            context[i, part] = weights[h, i] @ v[:, part]
    return normalized_dense(context, w["output_projection"]), weights


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def fusion_gate(tokens, context, w, raw=False):
    """Equations 11 and 12. `raw` mixes the unprojected inputs, as in DiSAN, after layer
    normalisation if `w` has its weights."""
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
    """Equation 13, with the residual connection and layer normalisation of figure 2."""
    hidden = np.maximum(0, x @ w["hidden"]["kernel"] + w["hidden"]["bias"])
    y = x + hidden @ w["residual"]["kernel"] + w["residual"]["bias"]
    return layer_norm(y, w["gamma"], w["beta"]) if "gamma" in w else y


def elu(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def source2token(u, w):
    """Equations 14 to 16 for a sentence `(L, D)`."""
    hidden = elu(normalized_dense(u, w["hidden"], w["hidden"]["bias"]))
    logits = normalized_dense(hidden, w["logits"], w["logits"]["bias"])
    weights = np.stack([softmax(logits[:, d]) for d in range(u.shape[1])], axis=1)
    return (weights * u).sum(0), weights


def encoder(x, w, heads, alpha, directional=True):
    """Returns `[s; m]` of a sentence `(L, D)`; skips blocks without weights in `w`."""
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

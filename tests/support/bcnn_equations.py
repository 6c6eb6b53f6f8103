"""The equations of Yin et al. 2016 in NumPy, float64, with loops.

One pair at a time, without padding: `x` is `(s, D)`, a row a token.
"""

import numpy as np


def match_scores(first, second):
    """`A[i, j] = 1 / (1 + |x_i - y_j|)`."""
    return np.array([[1 / (1 + np.linalg.norm(x - y)) for y in second] for x in first])


def wide_convolution(x, kernel, bias):
    """`p_j = tanh(W c_j + b)`, j = 1 .. s + w - 1, words outside are 0."""
    width, features, filters = kernel.shape
    columns = []
    for j in range(1, len(x) + width):
        # c_j is x_{j-w+1}, ..., x_j, counted from 1
        words = [
            x[i - 1] if 1 <= i <= len(x) else np.zeros(features)
            for i in range(j - width + 1, j + 1)
        ]
        c = np.concatenate(words)
        columns.append(np.tanh(c @ kernel.reshape(-1, filters) + bias))
    return np.array(columns)


def all_ap(columns):
    return columns.mean(axis=0)


def w_ap(columns, width):
    count = len(columns) - width + 1
    return np.array([columns[j : j + width].mean(axis=0) for j in range(count)])


def feature_maps(scores, table):
    """Equation below figure 3 (a): `F_0 = W A^T`, `F_1 = W A`, with the paper's shapes
    (features x positions); returned as `(s, D)`."""
    w = table.T  # (D, s)
    first = w[:, : scores.shape[1]] @ scores.T
    second = w[:, : scores.shape[0]] @ scores
    return first.T, second.T


def attentive_pooling(columns, attention, width, scale):
    """all-ap and w-ap with the attention `(s + w - 1,)` of one sentence's columns."""
    count = len(columns)
    shares = attention / attention.sum()
    of_all = {"mean": shares, "sum": shares, "none": attention / count}[scale]
    of_windows = {"mean": shares * count / width, "sum": shares, "none": attention}
    weights = of_windows[scale]
    vector = sum(a * h for a, h in zip(of_all, columns, strict=True))
    windows = [
        sum(weights[t] * columns[t] for t in range(j, j + width))
        for j in range(count - width + 1)
    ]
    return vector, np.array(windows)


def cosine(x, y):
    return x @ y / (np.linalg.norm(x) * np.linalg.norm(y))


def euclid(x, y):
    return 1 / (1 + np.linalg.norm(x - y))


def block(first, second, weights, width, pooling_scale=None):
    """A block of BCNN, ABCNN-1 (weights with a `map`), -2 (with `pooling_scale`), -3.

    Returns: both vectors, and both inputs of the next block.
    """
    if "map" in weights:
        maps = feature_maps(match_scores(first, second), weights["map"])
        first, second = (
            np.concatenate([x, f], axis=1)
            for x, f in zip((first, second), maps, strict=True)
        )
    columns = [
        wide_convolution(x, weights["kernel"], weights["bias"]) for x in (first, second)
    ]
    if pooling_scale is None:
        return [all_ap(c) for c in columns], [w_ap(c, width) for c in columns]
    scores = match_scores(*columns)
    attention = scores.sum(axis=1), scores.sum(axis=0)
    pooled = [
        attentive_pooling(c, a, width, pooling_scale)
        for c, a in zip(columns, attention, strict=True)
    ]
    return [vector for vector, _ in pooled], [windows for _, windows in pooled]

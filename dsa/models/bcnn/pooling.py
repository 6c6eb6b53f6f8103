"""Average pooling of a convolution's columns, with attention or without.

B sentences, T = S + w - 1 columns of S positions, U filters, w columns a window.
"""

from keras import ops

SMALL = 1e-10


def sum_attention(scores):
    """The attention of each column: how well all columns of the other sentence match
    it.

    Args:
        scores: `match_scores` of the columns, `(B, T_0, T_1)`.

    Returns: `(B, T_0)`, the sums of the rows, and `(B, T_1)`, those of the columns.

    Reference: Yin et al. 2016, section 4.2.
    """
    return ops.sum(scores, axis=2), ops.sum(scores, axis=1)


def weigh_evenly(mask, width):
    """The weights of BCNN: each column counts the same.

    Args:
        mask: `(B, T)` bool, True for real columns.
        width: w.

    Returns: two tensors `(B, T)`: weights for `pool_all`, and for `pool_windows`.

    Reference: Yin et al. 2016, section 3, "Average pooling layer".
    """
    real = ops.cast(mask, "float32")
    return real / _count(real), real / width


def weigh_by_attention(attention, mask, width, scale="mean"):
    """The weights of ABCNN-2: a column counts as much as the other sentence matches it.

    Args:
        attention: a, `(B, T)`, 0 at padding; see `sum_attention`.
        mask: `(B, T)` bool, True for real columns.
        width: w.
        scale: "mean", such that equal attention gives `weigh_evenly`; "sum", the shares
            `a / sum(a)` for both, as in the authors' code; "none", a itself for
            windows, as the paper writes it, and `a / T` for all.

    Returns: as `weigh_evenly`.

    Reference: Yin et al. 2016, section 4.2, for windows. That all-ap is weighted too is
    the authors' code.
    """
    real = ops.cast(mask, "float32")
    if scale == "none":
        return attention / _count(real), attention
    total = ops.sum(attention, axis=1, keepdims=True)
    shares = attention / ops.maximum(total, SMALL)
    if scale == "sum":
        return shares, shares
    return shares, shares * _count(real) / width


def _count(real):
    """Real columns, `(B, 1)`; 1 for a sentence of only padding."""
    return ops.maximum(ops.sum(real, axis=1, keepdims=True), 1.0)


def pool_all(columns, weights):
    """all-ap: `u = sum_t weight_t h_t`, `(B, T, U)` and `(B, T)` to `(B, U)`."""
    return ops.sum(_weigh(columns, weights), axis=1)


def pool_windows(columns, weights, mask, width):
    """w-ap: `q_j = sum_{t=j}^{j+w-1} weight_t h_t`, as many as the sentence has tokens.

    Args:
        columns: `(B, T, U)`, 0 at padding.
        weights: `(B, T)`.
        mask: `(B, S)` bool, True for real tokens.
        width: w.

    Returns: `(B, S, U)`, 0 at padding.

    Reference: Yin et al. 2016, sections 3 and 4.2. Their range `j : j + w` leaves its
    end out: with w + 1 columns a window, the length would not be s again.
    """
    weighted = _weigh(columns, weights)
    sums = width * ops.average_pool(weighted, width, strides=1, padding="valid")
    return ops.where(mask[..., None], sums, 0.0)


def _weigh(columns, weights):
    """Columns `(B, T, U)` times their weights `(B, T)`."""
    return ops.multiply(columns, ops.cast(weights, columns.dtype)[..., None])

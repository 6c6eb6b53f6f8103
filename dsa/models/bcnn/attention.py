"""Average pooling, attention weights, similarities and pooled attention matrices of
BCNN and ABCNN, in the order of the paper.

B pairs, S tokens of a sentence, P and Q positions in the two sentences, T = S + w - 1
columns of a convolution, D features, U filters, w columns in a window, p cells on each
side of a grid.
"""

from keras import ops

from dsa.layers.masks import Tensor, tensor_shape

SMALL = 1e-10  # keeps roots and divisions away from 0, so that gradients stay finite


def uniform_weights(mask: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Returns BCNN's pooling weights: all columns count equally.

    Args:
        mask: bool tensor `(B, T)`, True at real columns.
        width: w.

    Returns: two tensors `(B, T)`, the weights for `pool_all` and for `pool_windows`.

    Reference: Yin et al. 2016, section 3, "Average pooling layer".
    """
    real = ops.cast(mask, "float32")
    return real / _count_columns(real), real / width


def pool_all(columns: Tensor, weights: Tensor) -> Tensor:
    """Computes all-ap: `u = sum_t weight_t h_t`.

    Takes columns `(B, T, U)` and weights `(B, T)`; returns `(B, U)`.
    """
    return ops.sum(_scale_columns(columns, weights), axis=1)


def pool_windows(columns: Tensor, weights: Tensor, mask: Tensor, width: int) -> Tensor:
    """Computes w-ap, one vector per token: `q_j = sum_{t=j}^{j+w-1} weight_t h_t`.

    Args:
        columns: tensor `(B, T, U)`, 0 at padding.
        weights: tensor `(B, T)`.
        mask: bool tensor `(B, S)`, True at real tokens.
        width: w.

    Returns: tensor `(B, S, U)`, 0 at padding.

    Reference: Yin et al. 2016, sections 3 and 4.2. The paper's range `j : j + w`
    excludes its end: windows of w + 1 columns would not give s vectors.
    """
    weighted = _scale_columns(columns, weights)
    sums = width * ops.average_pool(weighted, width, strides=1, padding="valid")
    return ops.where(mask[..., None], sums, 0.0)


def match_scores(
    first: Tensor, second: Tensor, first_mask: Tensor, second_mask: Tensor
) -> Tensor:
    """Computes the attention matrix `A_ij = 1 / (1 + |x_i - y_j|)`.

    The score is 1 for equal features and near 0 for distant ones.

    Args:
        first, second: x and y, tensors `(B, P, D)` and `(B, Q, D)`.
        first_mask, second_mask: bool tensors `(B, P)` and `(B, Q)`.

    Returns: float32 tensor `(B, P, Q)`, 0 if either position is padding.

    Reference: Yin et al. 2016, section 4.1, the match score below equation 1.
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    # (B, P, Q). |x|^2 + |y|^2 - 2 x y would take less memory, but its rounding error
    # separates equal vectors: by 0.001 in float32, by more on a GPU.
    squares = ops.sum((first[:, :, None, :] - second[:, None, :, :]) ** 2, axis=-1)
    scores = 1 / (1 + ops.sqrt(squares + SMALL))
    both_real = first_mask[:, :, None] & second_mask[:, None, :]
    return ops.where(both_real, scores, 0.0)


def sum_attention(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Sums the attention matrix to one attention value per column of a convolution.

    Takes `match_scores` `(B, T_0, T_1)`; returns the sums of its rows `(B, T_0)`, for
    the first sentence, and of its columns `(B, T_1)`, for the second one.

    Reference: Yin et al. 2016, section 4.2.
    """
    return ops.sum(scores, axis=2), ops.sum(scores, axis=1)


def attention_weights(
    attention: Tensor, mask: Tensor, width: int, scale: str = "mean"
) -> tuple[Tensor, Tensor]:
    """Returns ABCNN-2's pooling weights, proportional to the attention.

    Args:
        attention: a, `(B, T)`, 0 at padding; see `sum_attention`.
        mask: bool tensor `(B, T)`, True at real columns.
        width: w.
        scale: "mean" scales the weights so that equal attention gives
            `uniform_weights`; "sum" uses `a / sum(a)` for both poolings, as the
            authors' code; "none" uses a itself for windows, as published, and `a / T`
            for all-ap.

    Returns: two tensors `(B, T)`, the weights for `pool_all` and for `pool_windows`.

    Reference: Yin et al. 2016, section 4.2, for windows. Weighting all-ap as well
    follows the authors' code.
    """
    real = ops.cast(mask, "float32")
    if scale == "none":
        return attention / _count_columns(real), attention
    total = ops.sum(attention, axis=1, keepdims=True)
    shares = attention / ops.maximum(total, SMALL)
    if scale == "sum":
        return shares, shares
    return shares, shares * _count_columns(real) / width


def cosine(first: Tensor, second: Tensor) -> Tensor:
    """Computes `x y / (|x| |y|)`: vectors `(B, D)` to `(B,)`; 0 for a zero vector."""
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    lengths = ops.sqrt(
        (ops.sum(first**2, axis=-1) + SMALL) * (ops.sum(second**2, axis=-1) + SMALL)
    )
    return ops.sum(first * second, axis=-1) / lengths


def euclid(first: Tensor, second: Tensor) -> Tensor:
    """Computes `1 / (1 + |x - y|)`: vectors `(B, D)` to `(B,)`.

    Reference: Yin et al. 2016, section 5.3, "Euclid".
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    squares = ops.sum((first - second) ** 2, axis=-1)
    return 1 / (1 + ops.sqrt(squares + SMALL))


SIMILARITIES = {"cosine": cosine, "euclid": euclid}


def pool_attention(
    scores: Tensor, first_mask: Tensor, second_mask: Tensor, cells: int
) -> Tensor:
    """Pools attention matrices of any size to grids of one size, by maximum.

    The s real rows are divided into p segments of floor(s / p) rows; the last s mod p
    segments have one more. With fewer rows than segments, segment r is row
    floor(r s / p). Columns likewise.

    Args:
        scores: `(B, P, Q)`, not negative.
        first_mask, second_mask: bool tensors `(B, P)` and `(B, Q)`, True at real
            positions; padding is on the right.
        cells: p.

    Returns: `(B, p * p)`, row by row.

    Reference: Yin et al. 2016, section 5.4 ("dynamic pooling of the attention matrix");
    Socher et al. 2011 for the segments. The paper specifies neither p nor the maximum.
    """
    rows = _assign_segments(first_mask, cells)  # (B, p, P)
    columns = _assign_segments(second_mask, cells)  # (B, p, Q)
    # scores are never negative, so 0 cannot win against a score of the segment
    # (B, p, Q)
    row_maxima = ops.max(
        ops.where(rows[:, :, :, None], scores[:, None, :, :], 0.0), axis=2
    )
    # (B, p, p)
    grid = ops.max(
        ops.where(columns[:, None, :, :], row_maxima[:, :, None, :], 0.0), axis=3
    )
    return ops.reshape(grid, (-1, cells * cells))


def _assign_segments(mask, cells):
    """Returns the positions of each segment, see `pool_attention`: `(B, S)` bool to
    `(B, p, S)` bool."""
    count = ops.sum(ops.cast(mask, "int32"), axis=1)[:, None]  # (B, 1)
    segment = ops.arange(cells, dtype="int32")[None, :]  # (1, p)
    size, larger = count // cells, count % cells
    # positions that the longer segments before this one add to its beginning
    extra = ops.maximum(segment - (cells - larger), 0)
    begin = segment * size + extra
    end = begin + size + ops.cast(segment >= cells - larger, "int32")
    few = count < cells
    begin = ops.where(few, segment * count // cells, begin)[:, :, None]
    end = ops.where(few, begin[:, :, 0] + 1, end)[:, :, None]
    position = ops.arange(tensor_shape(mask)[1], dtype="int32")[None, None, :]
    return (position >= begin) & (position < end)


def _count_columns(real):
    """Returns the number of real columns, `(B, 1)`; 1 if all are padding."""
    return ops.maximum(ops.sum(real, axis=1, keepdims=True), 1.0)


def _scale_columns(columns, weights):
    """Multiplies columns `(B, T, U)` by their weights `(B, T)`."""
    return ops.multiply(columns, ops.cast(weights, columns.dtype)[..., None])

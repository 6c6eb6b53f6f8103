"""Average pooling, attention weights, similarities and pooled attention matrices of
BCNN and ABCNN, in the order of the paper.

B pairs, S tokens of a sentence, P and Q positions in the two sentences, T = S + w - 1
columns of a convolution, D features, U filters, w columns in a window, p cells on each
side of a grid.
"""

from keras import ops

from dsa.layers.masks import Tensor, tensor_shape

EPSILON = 1e-10  # lower bound of roots and denominators, for finite gradients


def uniform_weights(mask: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Returns BCNN's pooling weights, which are equal for all columns.

    Args:
        mask: bool tensor `(B, T)`, True at real columns.
        width: w.

    Returns: two tensors `(B, T)`, the weights for `pool_all` and for `pool_windows`.

    Reference: Yin et al. 2016, section 3, "Average pooling layer".
    """
    float_mask = ops.cast(mask, "float32")
    return float_mask / _count_columns(float_mask), float_mask / width


def pool_all(columns: Tensor, weights: Tensor) -> Tensor:
    """Computes all-ap, the pooling to a sentence vector: `u = sum_t weight_t h_t`.

    Args:
        columns: h, tensor `(B, T, U)`.
        weights: tensor `(B, T)`.

    Returns: tensor `(B, U)`.

    Reference: Yin et al. 2016, section 3.
    """
    return ops.sum(_scale_columns(columns, weights), axis=1)


def pool_windows(columns: Tensor, weights: Tensor, mask: Tensor, width: int) -> Tensor:
    """Computes w-ap, one vector per token: `q_j = sum_{t=j}^{j+w-1} weight_t h_t`.

    Args:
        columns: h, tensor `(B, T, U)`, 0 at padding.
        weights: tensor `(B, T)`.
        mask: bool tensor `(B, S)`, True at real tokens.
        width: w.

    Returns: tensor `(B, S, U)`, 0 at padding.

    Reference: Yin et al. 2016, sections 3 and 4.2. The end of the paper's range
    `j : j + w` is exclusive, since windows of w + 1 columns would not give s vectors.
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
    # (B, P, Q): |x - y|^2. The formula |x|^2 + |y|^2 - 2 x y needs less memory, but its
    # rounding error separates equal vectors, by 0.001 in float32 and by more on a GPU.
    squares = ops.sum((first[:, :, None, :] - second[:, None, :, :]) ** 2, axis=-1)
    scores = 1 / (1 + ops.sqrt(squares + EPSILON))
    both_real = first_mask[:, :, None] & second_mask[:, None, :]
    return ops.where(both_real, scores, 0.0)


def sum_attention(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Sums the attention matrix to an attention value per column of the convolutions.

    Args:
        scores: `match_scores` `(B, T_0, T_1)`.

    Returns: sums of the rows, `(B, T_0)`, for the first sentence, and sums of the
        columns, `(B, T_1)`, for the second sentence.

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
        scale: "mean" to scale the weights so that equal attention gives
            `uniform_weights`; "sum" to use `a / sum(a)` for both poolings, as in the
            authors' code; "none" to use a for windows, as in the paper, and `a / T` for
            all-ap.

    Returns: two tensors `(B, T)`, the weights for `pool_all` and for `pool_windows`.

    Reference: Yin et al. 2016, section 4.2, for windows; the authors' code for all-ap.
    """
    count = _count_columns(ops.cast(mask, "float32"))
    if scale == "none":
        return attention / count, attention
    total = ops.sum(attention, axis=1, keepdims=True)
    shares = attention / ops.maximum(total, EPSILON)
    if scale == "sum":
        return shares, shares
    return shares, shares * count / width


def cosine(first: Tensor, second: Tensor) -> Tensor:
    """Computes the cosine similarity `x y / (|x| |y|)` of vectors `(B, D)`: `(B,)`.

    The similarity to a zero vector is 0.
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    first_squares = ops.sum(first**2, axis=-1) + EPSILON
    second_squares = ops.sum(second**2, axis=-1) + EPSILON
    return ops.sum(first * second, axis=-1) / ops.sqrt(first_squares * second_squares)


def euclid(first: Tensor, second: Tensor) -> Tensor:
    """Computes the similarity `1 / (1 + |x - y|)` of vectors `(B, D)`: `(B,)`.

    Reference: Yin et al. 2016, section 5.3, "Euclid".
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    squares = ops.sum((first - second) ** 2, axis=-1)
    return 1 / (1 + ops.sqrt(squares + EPSILON))


SIMILARITIES = {"cosine": cosine, "euclid": euclid}


def pool_attention(
    scores: Tensor, first_mask: Tensor, second_mask: Tensor, cells: int
) -> Tensor:
    """Max-pools attention matrices of any size to grids of p x p cells.

    The s real rows are divided into p segments of floor(s / p) rows; the last s mod p
    segments have one more row. With fewer rows than segments, segment r is row
    floor(r s / p). Columns are divided in the same way.

    Args:
        scores: tensor `(B, P, Q)`, not negative.
        first_mask, second_mask: bool tensors `(B, P)` and `(B, Q)`, True at real
            positions; padding is on the right.
        cells: p.

    Returns: tensor `(B, p * p)`, row by row.

    Reference: Yin et al. 2016, section 5.4 ("dynamic pooling of the attention matrix");
    Socher et al. 2011 for the segments. The paper specifies neither p nor the maximum.
    """
    rows = _assign_segments(first_mask, cells)  # (B, p, P)
    columns = _assign_segments(second_mask, cells)  # (B, p, Q)
    # (B, p, Q): 0 outside of a segment is not above its scores, which are not negative
    row_maxima = ops.max(
        ops.where(rows[:, :, :, None], scores[:, None, :, :], 0.0), axis=2
    )
    # (B, p, p)
    grid = ops.max(
        ops.where(columns[:, None, :, :], row_maxima[:, :, None, :], 0.0), axis=3
    )
    return ops.reshape(grid, (-1, cells * cells))


def _assign_segments(mask, cells):
    """Returns the positions of each segment, see `pool_attention`.

    Args:
        mask: bool tensor `(B, S)`, True at real positions.
        cells: p, number of segments.

    Returns: bool tensor `(B, p, S)`, True at the positions of the segment.
    """
    count = ops.sum(ops.cast(mask, "int32"), axis=1)[:, None]  # (B, 1)
    segment = ops.arange(cells, dtype="int32")[None, :]  # (1, p)
    size, larger = count // cells, count % cells
    # number of preceding segments with one more position
    extra = ops.maximum(segment - (cells - larger), 0)
    begin = segment * size + extra
    end = begin + size + ops.cast(segment >= cells - larger, "int32")
    # (B, 1): whether there are fewer positions than segments
    is_short = count < cells
    begin = ops.where(is_short, segment * count // cells, begin)[:, :, None]
    end = ops.where(is_short, begin[:, :, 0] + 1, end)[:, :, None]
    position = ops.arange(tensor_shape(mask)[1], dtype="int32")[None, None, :]
    return (position >= begin) & (position < end)


def _count_columns(float_mask):
    """Returns the number of real columns, `(B, 1)`; 1 if all columns are padding."""
    return ops.maximum(ops.sum(float_mask, axis=1, keepdims=True), 1.0)


def _scale_columns(columns, weights):
    """Multiplies columns `(B, T, U)` by their weights `(B, T)`."""
    return ops.multiply(columns, ops.cast(weights, columns.dtype)[..., None])

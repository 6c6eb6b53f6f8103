"""Average pooling, attention weights, similarities and pooled attention matrices of
BCNN and ABCNN, in the order of the paper.

B pairs, L tokens of a sentence, P and Q positions in the first and second sentence,
T = L + w - 1 columns of a convolution, D features, U filters, w columns in a window,
p x p cells in a grid.
"""

from keras import ops

from dsa.layers.masks import Tensor, tensor_shape

EPSILON = 1e-10  # added under square roots; lower bound of the sum of attention


def uniform_weights(mask: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Returns the pooling weights of BCNN, which are equal for all columns.

    Args:
        mask: bool tensor `(B, T)`, True at real columns.
        width: number w of columns in a window.

    Returns: tuple of two tensors `(B, T)`: the weights for `pool_all` and the weights
        for `pool_windows`.

    Reference: Yin et al. 2016, section 3, "Average pooling layer".
    """
    float_mask = ops.cast(mask, "float32")
    return float_mask / _count_columns(float_mask), float_mask / width


def pool_all(columns: Tensor, weights: Tensor) -> Tensor:
    """Pools all columns to a sentence vector (all-ap): `u = sum_t weight_t h_t`.

    Args:
        columns: tensor h `(B, T, U)`.
        weights: tensor `(B, T)`.

    Returns: tensor u `(B, U)`.

    Reference: Yin et al. 2016, section 3.
    """
    return ops.sum(_scale_columns(columns, weights), axis=1)


def pool_windows(columns: Tensor, weights: Tensor, mask: Tensor, width: int) -> Tensor:
    """Pools windows of columns to token vectors (w-ap).

        q_j = sum_{t=j}^{j+w-1} weight_t h_t

    Args:
        columns: tensor h `(B, T, U)`, 0 at padding.
        weights: tensor `(B, T)`.
        mask: bool tensor `(B, L)`, True at real tokens.
        width: number w of columns in a window.

    Returns: tensor q `(B, L, U)`, 0 at padding.

    Reference: Yin et al. 2016, sections 3 and 4. In the range `j : j + w` of the
    paper, the end is exclusive: windows of w + 1 columns would give L - 1 vectors.
    """
    weighted = _scale_columns(columns, weights)
    sums = width * ops.average_pool(weighted, width, strides=1, padding="valid")
    return ops.where(mask[..., None], sums, 0.0)


def match_scores(
    first: Tensor, second: Tensor, first_mask: Tensor, second_mask: Tensor
) -> Tensor:
    """Computes the attention matrix `A_ij = 1 / (1 + |x_i - y_j|)`.

    A match score is 1 for equal features, and approaches 0 with increasing distance.

    Args:
        first, second: tensors x `(B, P, D)` and y `(B, Q, D)`.
        first_mask, second_mask: bool tensors `(B, P)` and `(B, Q)`, True at real
            positions.

    Returns: float32 tensor `(B, P, Q)`, 0 if either position is padding.

    Reference: Yin et al. 2016, section 4, "ABCNN-1", the match score below equation 1.
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    # (B, P, Q): |x - y|^2. The formula |x|^2 + |y|^2 - 2 x y needs less memory, but its
    # rounding error separates equal vectors, by 0.001 in float32 and by more on a GPU.
    squares = ops.sum((first[:, :, None, :] - second[:, None, :, :]) ** 2, axis=-1)
    scores = 1 / (1 + ops.sqrt(squares + EPSILON))
    both_are_real = first_mask[:, :, None] & second_mask[:, None, :]
    return ops.where(both_are_real, scores, 0.0)


def sum_attention(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Sums the match scores of each column of the convolutions.

    Args:
        scores: match scores `(B, T_0, T_1)`, see `match_scores`.

    Returns: tuple of the attention of the first sentence `(B, T_0)` and of the second
        sentence `(B, T_1)`.

    Reference: Yin et al. 2016, section 4, "ABCNN-2".
    """
    return ops.sum(scores, axis=2), ops.sum(scores, axis=1)


def attention_weights(
    attention: Tensor, mask: Tensor, width: int, scale: str = "mean"
) -> tuple[Tensor, Tensor]:
    """Returns the pooling weights of ABCNN-2, which are proportional to the attention.

    Args:
        attention: tensor a `(B, T)`, 0 at padding, see `sum_attention`.
        mask: bool tensor `(B, T)`, True at real columns.
        width: number w of columns in a window.
        scale: "mean" scales the weights so that equal attention gives
            `uniform_weights`. "sum" uses `a / sum(a)` for both poolings, as in the
            authors' code. "none" uses a for windows, as in the paper, and `a / t` for
            all-ap, where t is the number of real columns.

    Returns: tuple of two tensors `(B, T)`: the weights for `pool_all` and the weights
        for `pool_windows`.

    Reference: Yin et al. 2016, section 4, "ABCNN-2", for windows; the authors' code for
        all-ap.
    """
    num_columns = _count_columns(ops.cast(mask, "float32"))
    if scale == "none":
        return attention / num_columns, attention
    total = ops.sum(attention, axis=1, keepdims=True)
    normalized = attention / ops.maximum(total, EPSILON)
    if scale == "sum":
        return normalized, normalized
    return normalized, normalized * num_columns / width


def cosine(first: Tensor, second: Tensor) -> Tensor:
    """Computes the cosine similarity `x y / (|x| |y|)`.

    The similarity to a zero vector is 0.

    Args:
        first, second: tensors x and y `(B, D)`.

    Returns: float32 tensor `(B,)`.
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    first_squares = ops.sum(first**2, axis=-1) + EPSILON
    second_squares = ops.sum(second**2, axis=-1) + EPSILON
    return ops.sum(first * second, axis=-1) / ops.sqrt(first_squares * second_squares)


def euclid(first: Tensor, second: Tensor) -> Tensor:
    """Computes the similarity `1 / (1 + |x - y|)`, based on the Euclidean distance.

    Args, Returns: see `cosine`.

    Reference: Yin et al. 2016, sections 5.2 and 5.3 (Euclidean distance).
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    squares = ops.sum((first - second) ** 2, axis=-1)
    return 1 / (1 + ops.sqrt(squares + EPSILON))


SIMILARITIES = {"cosine": cosine, "euclid": euclid}


def pool_attention(
    scores: Tensor, first_mask: Tensor, second_mask: Tensor, cells: int
) -> Tensor:
    """Max-pools attention matrices of any size to grids of p x p cells.

    The s real rows are divided into p segments of floor(s / p) rows. The last s mod p
    segments have one more row. If s < p, segment r is the row floor(r s / p). Columns
    are divided in the same way.

    Args:
        scores: tensor `(B, P, Q)` of non-negative numbers.
        first_mask, second_mask: bool tensors `(B, P)` and `(B, Q)`, True at real
            positions, with padding on the right.
        cells: number p of cells in a row and in a column of the grid.

    Returns: tensor `(B, p * p)`, the flattened grids in row-major order.

    Reference: Yin et al. 2016, section 5.2 (dynamic pooling of the attention matrix).
    Socher et al. 2011 for the segments. The paper specifies neither p nor max pooling.
    """
    rows = _assign_segments(first_mask, cells)  # (B, p, P)
    columns = _assign_segments(second_mask, cells)  # (B, p, Q)
    # (B, p, Q): the fill value 0 cannot exceed scores, which are non-negative
    row_maxima = ops.max(
        ops.where(rows[:, :, :, None], scores[:, None, :, :], 0.0), axis=2
    )
    # (B, p, p)
    grid = ops.max(
        ops.where(columns[:, None, :, :], row_maxima[:, :, None, :], 0.0), axis=3
    )
    return ops.reshape(grid, (-1, cells * cells))


def _assign_segments(mask: Tensor, cells: int) -> Tensor:
    """Assigns the positions of a sentence to segments, see `pool_attention`.

    Args:
        mask: bool tensor `(B, P)`, True at real positions.
        cells: number p of segments.

    Returns: bool tensor `(B, p, P)`, True if the position belongs to the segment.
    """
    num_positions = ops.sum(ops.cast(mask, "int32"), axis=1)[:, None]  # (B, 1)
    segments = ops.arange(cells, dtype="int32")[None, :]  # (1, p)
    size = num_positions // cells
    # segments from this index on have one more position
    first_larger = cells - num_positions % cells
    # number of preceding segments with one more position
    num_preceding_larger = ops.maximum(segments - first_larger, 0)
    begin = segments * size + num_preceding_larger
    end = begin + size + ops.cast(segments >= first_larger, "int32")
    # (B, 1): whether there are fewer positions than segments
    is_short = num_positions < cells
    begin = ops.where(is_short, segments * num_positions // cells, begin)
    end = ops.where(is_short, begin + 1, end)
    positions = ops.arange(tensor_shape(mask)[1], dtype="int32")[None, None, :]
    return (positions >= begin[:, :, None]) & (positions < end[:, :, None])


def _count_columns(float_mask: Tensor) -> Tensor:
    """Returns the number of real columns `(B, 1)`, or 1 if all columns are padding."""
    return ops.maximum(ops.sum(float_mask, axis=1, keepdims=True), 1.0)


def _scale_columns(columns: Tensor, weights: Tensor) -> Tensor:
    """Multiplies columns `(B, T, U)` by their weights `(B, T)`."""
    return ops.multiply(columns, ops.cast(weights, columns.dtype)[..., None])

"""Average pooling of a convolution's columns, the match of two sentences that weights
it, and what a pair is compared by: in the order of the paper.

B pairs, S tokens of a sentence, P and Q positions of the two, T = S + w - 1 columns, D
features, U filters, w columns a window, p cells a side of a grid.
"""

from keras import ops

from dsa.layers.masks import Tensor, tensor_shape

SMALL = 1e-10  # keeps roots and divisions away from 0: gradients stay finite


def weigh_evenly(mask: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """The weights of BCNN: each column counts the same.

    Takes the mask `(B, T)` of real columns; returns two tensors `(B, T)`: weights for
    `pool_all`, and for `pool_windows`.

    Reference: Yin et al. 2016, section 3, "Average pooling layer".
    """
    real = ops.cast(mask, "float32")
    return real / _count(real), real / width


def pool_all(columns: Tensor, weights: Tensor) -> Tensor:
    """all-ap: `u = sum_t weight_t h_t`, `(B, T, U)` and `(B, T)` to `(B, U)`."""
    return ops.sum(_weigh(columns, weights), axis=1)


def pool_windows(columns: Tensor, weights: Tensor, mask: Tensor, width: int) -> Tensor:
    """w-ap: `q_j = sum_{t=j}^{j+w-1} weight_t h_t`, as many as the sentence has tokens.

    Takes columns `(B, T, U)`, 0 at padding, weights `(B, T)` and the mask `(B, S)` of
    real tokens; returns `(B, S, U)`, 0 at padding.

    Reference: Yin et al. 2016, sections 3 and 4.2. Their range `j : j + w` leaves its
    end out: with w + 1 columns a window, the length would not be s again.
    """
    weighted = _weigh(columns, weights)
    sums = width * ops.average_pool(weighted, width, strides=1, padding="valid")
    return ops.where(mask[..., None], sums, 0.0)


def match_scores(
    first: Tensor, second: Tensor, first_mask: Tensor, second_mask: Tensor
) -> Tensor:
    """`A_ij = 1 / (1 + |x_i - y_j|)`: 1 for equal features, near 0 for distant ones.

    Takes tensors `(B, P, D)` and `(B, Q, D)`, and their masks `(B, P)` and `(B, Q)`;
    returns float32 `(B, P, Q)`, 0 where either side is padding.

    Reference: Yin et al. 2016, section 4.1, the match score below equation 1.
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    # (B, P, Q). As |x|^2 + |y|^2 - 2 x y the numbers would take less memory, but equal
    # vectors would come out different: by 0.001 with float32, by more on a GPU.
    squares = ops.sum((first[:, :, None, :] - second[:, None, :, :]) ** 2, axis=-1)
    scores = 1 / (1 + ops.sqrt(squares + SMALL))
    both = first_mask[:, :, None] & second_mask[:, None, :]
    return ops.where(both, scores, 0.0)


def sum_attention(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The attention of each column: how well all columns of the other sentence match
    it, `(B, T_0)` and `(B, T_1)`: the sums of the rows and of the columns of
    `match_scores`, `(B, T_0, T_1)`.

    Reference: Yin et al. 2016, section 4.2.
    """
    return ops.sum(scores, axis=2), ops.sum(scores, axis=1)


def weigh_by_attention(
    attention: Tensor, mask: Tensor, width: int, scale: str = "mean"
) -> tuple[Tensor, Tensor]:
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


def cosine(first: Tensor, second: Tensor) -> Tensor:
    """`x y / (|x| |y|)`: vectors `(B, D)` to `(B,)`; 0 for a vector of zeros."""
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    lengths = ops.sqrt(
        (ops.sum(first**2, axis=-1) + SMALL) * (ops.sum(second**2, axis=-1) + SMALL)
    )
    return ops.sum(first * second, axis=-1) / lengths


def euclid(first: Tensor, second: Tensor) -> Tensor:
    """`1 / (1 + |x - y|)`: vectors `(B, D)` to `(B,)`.

    Reference: Yin et al. 2016, section 5.3, "Euclid".
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    squares = ops.sum((first - second) ** 2, axis=-1)
    return 1 / (1 + ops.sqrt(squares + SMALL))


SIMILARITIES = {"cosine": cosine, "euclid": euclid}


def pool_attention(
    scores: Tensor, first_mask: Tensor, second_mask: Tensor, cells: int
) -> Tensor:
    """The attention matrices of pairs as grids of one size.

    Rows are cut into p segments of floor(s / p), the last ones of one more; of fewer
    rows than p, cell r has row floor(r s / p). Columns likewise.

    Args:
        scores: `(B, P, Q)`, not below 0.
        first_mask, second_mask: `(B, P)` and `(B, Q)` bool, True for real positions,
            which come first.
        cells: p.

    Returns: `(B, p * p)`, row by row.

    Reference: Yin et al. 2016, section 5.4 ("dynamic pooling of the attention matrix");
    Socher et al. 2011 for the segments. p and the maximum are not in the paper.
    """
    rows = _assign_cells(first_mask, cells)  # (B, p, P)
    columns = _assign_cells(second_mask, cells)  # (B, p, Q)
    # (B, p, Q), then (B, p, p); scores are never below 0, so 0 hides the others
    of_rows = ops.max(
        ops.where(rows[:, :, :, None], scores[:, None, :, :], 0.0), axis=2
    )
    grid = ops.max(
        ops.where(columns[:, None, :, :], of_rows[:, :, None, :], 0.0), axis=3
    )
    return ops.reshape(grid, (-1, cells * cells))


def _assign_cells(mask, cells):
    """Which positions belong to which cell: `(B, S)` bool to `(B, p, S)` bool."""
    count = ops.sum(ops.cast(mask, "int32"), axis=1)[:, None]  # (B, 1)
    cell = ops.arange(cells, dtype="int32")[None, :]  # (1, p)
    size, larger = count // cells, count % cells
    extra = ops.maximum(cell - (cells - larger), 0)  # of the cells before this one
    begin = cell * size + extra
    end = begin + size + ops.cast(cell >= cells - larger, "int32")
    few = count < cells
    begin = ops.where(few, cell * count // cells, begin)[:, :, None]
    end = ops.where(few, begin[:, :, 0] + 1, end)[:, :, None]
    position = ops.arange(tensor_shape(mask)[1], dtype="int32")[None, None, :]
    return (position >= begin) & (position < end)


def _count(real):
    """Real columns, `(B, 1)`; 1 for a sentence of only padding."""
    return ops.maximum(ops.sum(real, axis=1, keepdims=True), 1.0)


def _weigh(columns, weights):
    """Columns `(B, T, U)` times their weights `(B, T)`."""
    return ops.multiply(columns, ops.cast(weights, columns.dtype)[..., None])

"""A matrix of any size as a small grid, each cell the largest of its part.

B pairs, P and Q positions, p cells a side.
"""

from keras import ops


def pool_attention(scores, first_mask, second_mask, cells):
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
    position = ops.arange(ops.shape(mask)[1], dtype="int32")[None, None, :]
    return (position >= begin) & (position < end)

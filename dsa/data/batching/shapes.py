"""A few padded shapes for many batches: a compiler makes one program for each."""

import numpy as np

MOST_CANDIDATES = 64**2  # however many sides there are


def choose_shapes(needed, at_most):
    """Shapes that every needed one fits into, chosen to leave little padding.

    Greedy: the largest shape first, then each time the shape that saves the most
    tokens.

    Example:
        >>> choose_shapes(np.array([[3], [4], [9], [9]]), 2).tolist()
        [[4], [9]]

    Args:
        needed: int array `(N, K)`, the lengths of the K sequences of N batches of one
            size, in tokens.
        at_most: number of shapes.

    Returns: int array `(M, K)`, M <= `at_most`, from the smallest sum to the largest.
    """
    distinct, counts = np.unique(needed, axis=0, return_counts=True)
    a_side = round(MOST_CANDIDATES ** (1 / max(distinct.shape[1], 2)))
    sides = [_thin_out(np.unique(side), a_side) for side in distinct.T]
    candidates = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1)
    candidates = candidates.reshape(-1, len(sides))
    sizes = candidates.sum(axis=1)
    fits = (candidates[:, None] >= distinct).all(axis=-1)  # (candidates, distinct)
    chosen = [len(candidates) - 1]  # the largest of each side
    tokens = np.full(len(distinct), sizes[-1])
    for _ in range(at_most - 1):
        possible = np.where(fits, np.minimum(sizes[:, None], tokens), tokens)
        best = (possible @ counts).argmin()
        if (possible[best] == tokens).all():
            break
        chosen.append(best)
        tokens = possible[best]
    shapes = candidates[chosen]
    return shapes[np.argsort(shapes.sum(axis=1), kind="stable")]


def find_smallest_fit(shapes, needed):
    """The first of `shapes` that is nowhere smaller than `needed`, `(K,)`.

    Raises: `ValueError` if there is none.
    """
    fits = (shapes >= needed).all(axis=1)
    if not fits.any():
        raise ValueError(
            f"No shape holds {needed.tolist()}. Received: {shapes.tolist()}"
        )
    return shapes[fits.argmax()]


def round_up(number, least=1):
    """The smallest power of two that is not below a number, and at least `least`: few
    sizes for batches whose size is a user's.

    Example:
        >>> [round_up(number, least=4) for number in (1, 4, 5, 300)]
        [4, 4, 8, 512]
    """
    return max(least, 1 << (int(number) - 1).bit_length())


def _thin_out(lengths, most):
    """At most so many of sorted lengths, with the last one."""
    if len(lengths) <= most:
        return lengths
    steps = np.linspace(0, len(lengths) - 1, most)
    return lengths[steps.round().astype(int)]

"""Padded shapes: a compiler makes one program for each, so that few are enough; and
batches for evaluation, sentences of one length together, bounded by memory."""

from collections.abc import Iterator

import numpy as np

from dsa.data.prepared.sentences import Sentences

MOST_CANDIDATES = 64**2  # however many sides there are
LONG = 64  # tokens; memory of attention grows by the square of the length


def choose_shapes(
    needed: np.ndarray, at_most: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Returns shapes that every needed one fits into, chosen to leave little padding:
    the largest shape first, then each time the shape that saves the most tokens.

    Example:
        >>> choose_shapes(np.array([[3], [4], [9], [9]]), 2).tolist()
        [[4], [9]]

    Args:
        needed: int array `(N, K)`, the lengths of the K sequences of N batches of one
            size, in tokens.
        at_most: number of shapes.
        weights: how many of each sequence a row has, `(K,)`; `None` for one.

    Returns: int array `(M, K)`, M <= `at_most`, from the smallest sum to the largest.
    """
    distinct, counts = np.unique(needed, axis=0, return_counts=True)
    a_side = round(MOST_CANDIDATES ** (1 / max(distinct.shape[1], 2)))
    sides = [_thin_out(np.unique(side), a_side) for side in distinct.T]
    candidates = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1)
    candidates = candidates.reshape(-1, len(sides))
    weights = np.ones(len(sides), np.int64) if weights is None else weights
    sizes = candidates @ weights
    fits = (candidates[:, None] >= distinct).all(axis=-1)  # (candidates, distinct)
    chosen = [len(candidates) - 1]  # the largest of each side
    tokens = np.full(len(distinct), sizes[-1])
    for _ in range(at_most - 1):
        possible = np.where(fits, np.minimum(sizes[:, None], tokens), tokens)
        best = int((possible @ counts).argmin())
        if (possible[best] == tokens).all():
            break
        chosen.append(best)
        tokens = possible[best]
    shapes = candidates[chosen]
    return shapes[np.argsort(shapes @ weights, kind="stable")]


def choose_smallest_fit(shapes: np.ndarray, needed: np.ndarray) -> np.ndarray:
    """Returns the first of `shapes` that is nowhere smaller than `needed`, `(K,)`.

    Raises: `ValueError` if there is none.
    """
    fits = (shapes >= needed).all(axis=1)
    if not fits.any():
        raise ValueError(
            f"No shape holds {needed.tolist()}. Received: {shapes.tolist()}"
        )
    return shapes[fits.argmax()]


def round_up(number: int, least: int = 1) -> int:
    """Returns the smallest power of two not below a number, and at least `least`: few
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


def make_batches_by_length(
    sentences: Sentences, batch_size: int, shapes: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields all sentences by length, in batches of `(positions (B,), ids (B, L))`.

    The shortest sentence is repeated until all batches are of one size, `batch_size` at
    most; but very long sentences come in smaller batches, to bound the memory of
    attention. `shapes` is the number of padded lengths at most; `None` pads each batch
    to its own longest sentence, of two tokens at least.
    """
    order = np.argsort(sentences.lengths, kind="stable")
    batch_size = min(batch_size, len(order))
    order = np.concatenate([np.repeat(order[:1], -len(order) % batch_size), order])
    batches = [
        part
        for positions in order.reshape(-1, batch_size)
        for part in split_by_memory(positions, sentences.lengths[positions[-1]] ** 2)
    ]
    needed = sentences.lengths[[positions[-1] for positions in batches]][:, None]
    needed = np.maximum(needed, 2)  # Keras warns of a softmax over a single token
    lengths = needed if shapes is None else choose_shapes(needed, shapes)
    for positions, longest in zip(batches, needed, strict=True):
        length = choose_smallest_fit(lengths, longest)[0]
        yield positions, sentences.pad(positions, length)


def split_by_memory(rows: np.ndarray, weights: int) -> list[np.ndarray]:
    """Returns the rows `(B,)` of a batch whole, or in smaller parts if the largest has
    very many attention `weights`, tokens by tokens."""
    size = max(1, int(len(rows) * LONG**2 // weights))
    return np.split(rows, range(size, len(rows), size))

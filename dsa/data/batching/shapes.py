"""Padded shapes, each of which is compiled once, and evaluation batches of similar
length and limited memory."""

from collections.abc import Iterator

import numpy as np

from dsa.data.prepared.sentences import Sentences

MAX_CANDIDATES = 64**2  # for any number of sequences
LONG = 64  # tokens; the memory of attention is quadratic in the length


def choose_shapes(
    needed: np.ndarray, at_most: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Returns shapes that fit all needed lengths with little padding.

    Greedy selection: the largest shape first, then the shape that saves the most
    tokens.

    Example:
        >>> choose_shapes(np.array([[3], [4], [9], [9]]), 2).tolist()
        [[4], [9]]

    Args:
        needed: int array `(N, K)`, lengths in tokens of the K sequences of N batches of
            equal size.
        at_most: maximum number of shapes.
        weights: sequences of each kind per row, `(K,)`; `None` for one each.

    Returns: int array `(M, K)`, M <= `at_most`, sorted by weighted sum.
    """
    distinct, counts = np.unique(needed, axis=0, return_counts=True)
    a_side = round(MAX_CANDIDATES ** (1 / max(distinct.shape[1], 2)))
    sides = [_thin_out(np.unique(side), a_side) for side in distinct.T]
    candidates = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1)
    candidates = candidates.reshape(-1, len(sides))
    weights = np.ones(len(sides), np.int64) if weights is None else weights
    sizes = candidates @ weights
    fits = (candidates[:, None] >= distinct).all(axis=-1)  # (candidates, distinct)
    chosen = [len(candidates) - 1]  # the largest length of every sequence
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
    """Returns the first of `shapes` that is at least `needed`, `(K,)`, in every entry.

    Raises: `ValueError` if no shape is large enough.
    """
    fits = (shapes >= needed).all(axis=1)
    if not fits.any():
        raise ValueError(
            f"No shape holds {needed.tolist()}. Received: {shapes.tolist()}"
        )
    return shapes[fits.argmax()]


def round_up(number: int, least: int = 1) -> int:
    """Returns the smallest power of two that is at least `number` and `least`, to limit
    the number of batch sizes that depend on a user.

    Example:
        >>> [round_up(number, least=4) for number in (1, 4, 5, 300)]
        [4, 4, 8, 512]
    """
    return max(least, 1 << (int(number) - 1).bit_length())


def _thin_out(lengths, most):
    """Returns at most `most` of the sorted lengths, including the last."""
    if len(lengths) <= most:
        return lengths
    steps = np.linspace(0, len(lengths) - 1, most)
    return lengths[steps.round().astype(int)]


def make_batches_by_length(
    sentences: Sentences, batch_size: int, shapes: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields all sentences by length, in batches `(positions (B,), ids (B, L))`.

    The shortest sentence is repeated to fill the first batch. Very long sentences are
    divided into smaller batches to limit the memory of attention.

    Args:
        batch_size: maximum number of sentences per batch.
        shapes: maximum number of padded lengths; `None` pads each batch to its longest
            sentence, but at least two tokens.
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
    """Returns the rows `(B,)` of a batch in one part, or in smaller parts if the number
    of attention `weights` of the longest row is large."""
    size = max(1, int(len(rows) * LONG**2 // weights))
    return np.split(rows, range(size, len(rows), size))

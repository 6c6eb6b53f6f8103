"""Choice of padded shapes, and evaluation batches of similar length.

A program is compiled for each padded shape, so that few shapes are better.
"""

from collections.abc import Iterator

import numpy as np

from dsa.data.prepared.sentences import Sentences

MAX_CANDIDATES = 64**2  # maximum number of shapes to choose from
LONG = 64  # tokens; batches of longer sentences may be divided


def choose_shapes(
    min_shapes: np.ndarray, max_count: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Returns padded shapes such that every batch fits into a shape with little
    padding.

    The selection is greedy: the largest shape is selected first, then repeatedly the
    shape that saves the most padding tokens.

    Example:
        >>> choose_shapes(np.array([[3], [4], [9], [9]]), 2).tolist()
        [[4], [9]]

    Args:
        min_shapes: int array `(N, K)`, the minimum shapes of N batches of equal size:
            the lengths of their K sequences, in tokens.
        max_count: maximum number of shapes.
        weights: number of sequences per row, for each of the K sequences, `(K,)`;
            `None` for one each.

    Returns: int array `(M, K)`, M <= `max_count`, sorted by weighted sum.
    """
    distinct, counts = np.unique(min_shapes, axis=0, return_counts=True)
    max_lengths = round(MAX_CANDIDATES ** (1 / max(distinct.shape[1], 2)))
    lengths = [_select_evenly(np.unique(side), max_lengths) for side in distinct.T]
    # (candidates, K): all combinations of lengths; the last contains the maxima
    candidates = np.stack(np.meshgrid(*lengths, indexing="ij"), axis=-1)
    candidates = candidates.reshape(-1, len(lengths))
    weights = np.ones(len(lengths), np.int64) if weights is None else weights
    sizes = candidates @ weights
    fits = (candidates[:, None] >= distinct).all(axis=-1)  # (candidates, distinct)
    selected = [len(candidates) - 1]
    tokens = np.full(len(distinct), sizes[-1])  # size of the smallest selected fit
    for _ in range(max_count - 1):
        # (candidates, distinct): tokens after the selection of each candidate
        new_tokens = np.where(fits, np.minimum(sizes[:, None], tokens), tokens)
        best = int((new_tokens @ counts).argmin())
        if (new_tokens[best] == tokens).all():
            break
        selected.append(best)
        tokens = new_tokens[best]
    shapes = candidates[selected]
    return shapes[np.argsort(shapes @ weights, kind="stable")]


def choose_smallest_fit(shapes: np.ndarray, min_shape: np.ndarray) -> np.ndarray:
    """Returns the first shape of which every entry is at least that of `min_shape`.

    Args:
        shapes: int array `(M, K)`.
        min_shape: int array `(K,)`.

    Returns: int array `(K,)`.

    Raises: `ValueError` if no shape is large enough.
    """
    fits = (shapes >= min_shape).all(axis=1)
    if not fits.any():
        raise ValueError(
            f"No shape holds {min_shape.tolist()}. Received: {shapes.tolist()}"
        )
    return shapes[fits.argmax()]


def round_up(number: int, minimum: int = 1) -> int:
    """Returns the smallest power of two that is at least `number` and `minimum`.

    Rounding limits the number of shapes of batches whose size depends on the user.

    Example:
        >>> [round_up(number, minimum=4) for number in (1, 4, 5, 300)]
        [4, 4, 8, 512]
    """
    return max(minimum, 1 << (int(number) - 1).bit_length())


def _select_evenly(lengths, max_count):
    """Returns at most `max_count` of the sorted lengths, including the last."""
    if len(lengths) <= max_count:
        return lengths
    positions = np.linspace(0, len(lengths) - 1, max_count)
    return lengths[positions.round().astype(int)]


def make_batches_by_length(
    sentences: Sentences, batch_size: int, shapes: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields batches of all sentences, sorted by length.

    The shortest sentence is repeated to fill the first batch. Batches of very long
    sentences are divided to limit the memory of attention.

    Args:
        sentences: the sentences.
        batch_size: maximum number of sentences per batch.
        shapes: maximum number of padded lengths; `None` to pad each batch to the length
            of its longest sentence, at least two tokens.

    Yields: the positions of the sentences, `(B,)`, and their padded ids, `(B, L)`.
    """
    order = np.argsort(sentences.lengths, kind="stable")
    batch_size = min(batch_size, len(order))
    order = np.concatenate([np.repeat(order[:1], -len(order) % batch_size), order])
    batches = []
    for positions in order.reshape(-1, batch_size):
        longest = sentences.lengths[positions[-1]]
        batches += split_by_memory(positions, longest**2)
    min_shapes = sentences.lengths[[positions[-1] for positions in batches]][:, None]
    min_shapes = np.maximum(min_shapes, 2)  # Keras warns of a softmax over one token
    padded = min_shapes if shapes is None else choose_shapes(min_shapes, shapes)
    for positions, min_shape in zip(batches, min_shapes, strict=True):
        length = choose_smallest_fit(padded, min_shape)[0]
        yield positions, sentences.pad(positions, length)


def split_by_memory(rows: np.ndarray, weights: int) -> list[np.ndarray]:
    """Divides a batch of rows such that attention does not need too much memory.

    Args:
        rows: the rows of the batch, `(B,)`.
        weights: number of attention weights of the longest row.

    Returns: a list of one or several parts of the rows.
    """
    size = max(1, int(len(rows) * LONG**2 // weights))
    return np.split(rows, range(size, len(rows), size))

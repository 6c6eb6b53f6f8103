"""Selects padded shapes, and batches sentences by length for evaluation.

XLA compiles one program per padded shape, so fewer shapes reduce the compilation time.
"""

from collections.abc import Iterator

import numpy as np

from dsa.data.prepared.sentences import Sentences

MAX_CANDIDATES = 64**2  # maximum number of shapes to choose from
SPLIT_LENGTH = 64  # tokens; batches of longer sentences are split


def choose_shapes(
    min_shapes: np.ndarray, max_count: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Selects at most `max_count` padded shapes that cover all batches with little
    padding.

    The selection is greedy: the largest shape is selected first, then repeatedly the
    shape that saves the most padding tokens.

    Args:
        min_shapes: int array `(N, K)`, the minimum shapes of N batches of equal size:
            the lengths of their K sequences, in tokens.
        max_count: maximum number of shapes.
        weights: factor of each of the K lengths in the padded size of a row, `(K,)`;
            `None` for 1.

    Returns: int array `(M, K)`, M <= `max_count`, sorted by padded size.

    Example:
        >>> choose_shapes(np.array([[3], [4], [9], [9]]), 2).tolist()
        [[4], [9]]
    """
    distinct, counts = np.unique(min_shapes, axis=0, return_counts=True)
    if weights is None:
        weights = np.ones(distinct.shape[1], np.int64)
    # with a single sequence, 64 lengths suffice as well
    max_lengths = round(MAX_CANDIDATES ** (1 / max(distinct.shape[1], 2)))
    lengths = [_select_evenly(np.unique(side), max_lengths) for side in distinct.T]
    # (candidates, K): all combinations of lengths; the last contains the maxima
    candidates = np.stack(np.meshgrid(*lengths, indexing="ij"), axis=-1)
    candidates = candidates.reshape(-1, len(lengths))
    sizes = candidates @ weights
    fits = (candidates[:, None] >= distinct).all(axis=-1)  # (candidates, distinct)
    selected = [len(candidates) - 1]
    # (distinct,): size of each minimum shape, padded to the best selected candidate
    padded_sizes = np.full(len(distinct), sizes[-1])
    for _ in range(max_count - 1):
        # (candidates, distinct): padded sizes if the candidate is selected as well
        new_sizes = np.where(
            fits, np.minimum(sizes[:, None], padded_sizes), padded_sizes
        )
        best = int((new_sizes @ counts).argmin())
        if (new_sizes[best] == padded_sizes).all():
            break
        selected.append(best)
        padded_sizes = new_sizes[best]
    shapes = candidates[selected]
    return shapes[np.argsort(shapes @ weights, kind="stable")]


def find_smallest_shape(shapes: np.ndarray, min_shape: np.ndarray) -> np.ndarray:
    """Returns the first shape that is elementwise greater than or equal to `min_shape`.

    Args:
        shapes: int array `(M, K)`, sorted by padded size as in `choose_shapes`.
        min_shape: int array `(K,)`.

    Returns: int array `(K,)`.

    Raises: `ValueError` if no shape is large enough.
    """
    fits = (shapes >= min_shape).all(axis=1)
    if not fits.any():
        raise ValueError(
            f"No shape is large enough for {min_shape.tolist()}. "
            f"Received: {shapes.tolist()}"
        )
    return shapes[fits.argmax()]


def _select_evenly(lengths, max_count):
    """Returns at most `max_count` of the sorted lengths, including the last."""
    if len(lengths) <= max_count:
        return lengths
    positions = np.linspace(0, len(lengths) - 1, max_count)
    return lengths[positions.round().astype(int)]


def make_batches_by_length(
    sentences: Sentences, batch_size: int, max_shapes: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields batches of all sentences, sorted by length.

    The shortest sentence is repeated to fill the first batch, so its position may occur
    several times. Batches of long sentences are split to limit the memory of the
    attention weights.

    Args:
        sentences: the sentences.
        batch_size: maximum number of sentences per batch.
        max_shapes: maximum number of padded lengths; `None` to pad each batch to the
            length of its longest sentence, at least two tokens.

    Yields: the positions of the sentences, `(B,)`, and their padded ids, `(B, L)`.
    """
    if not len(sentences):
        return
    order = np.argsort(sentences.lengths, kind="stable")
    batch_size = min(batch_size, len(order))
    order = np.concatenate([np.repeat(order[:1], -len(order) % batch_size), order])
    batches = []
    for positions in order.reshape(-1, batch_size):
        max_length = int(sentences.lengths[positions[-1]])
        batches += split_by_memory(positions, max_length**2)
    max_lengths = np.array([sentences.lengths[positions[-1]] for positions in batches])
    # Keras warns about a softmax over an axis of size 1
    min_shapes = np.maximum(max_lengths, 2)[:, None]
    shapes = min_shapes
    if max_shapes is not None:
        shapes = choose_shapes(min_shapes, max_shapes)
    for positions, min_shape in zip(batches, min_shapes, strict=True):
        (length,) = find_smallest_shape(shapes, min_shape)
        yield positions, sentences.pad(positions, length)


def split_by_memory(rows: np.ndarray, num_attention_weights: int) -> list[np.ndarray]:
    """Splits a batch of B rows into parts with at most `B * SPLIT_LENGTH**2` attention
    weights each.

    A part contains at least one row.

    Args:
        rows: the rows of the batch, `(B,)`.
        num_attention_weights: number of attention weights of the longest row.

    Returns: consecutive parts of `rows`.
    """
    size = max(1, int(len(rows) * SPLIT_LENGTH**2 // num_attention_weights))
    return np.split(rows, range(size, len(rows), size))

"""Batches for evaluation: sentences of one length together, bounded by memory."""

import numpy as np

from dsa.data.batching.shapes import choose_shapes, find_smallest_fit

LONG = 64  # tokens; memory of attention grows by the square of the length


def make_batches_by_length(sentences, batch_size, shapes=None):
    """Yield all sentences by length, in batches of `(positions (B,), ids (B, L))`.

    The shortest sentence is repeated until all batches are of one size; but very long
    sentences come in smaller batches, to bound the memory of attention.

    Args:
        sentences: `Sentences`, at least one.
        batch_size: sentences a batch at most.
        shapes: the number of padded lengths at most; `None` pads each batch to its own
            longest sentence, of two tokens at least.
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
        length = find_smallest_fit(lengths, longest)[0]
        yield positions, sentences.pad(positions, length)


def split_by_memory(rows, weights):
    """A batch whole, or, if a row has very many attention weights, in smaller parts.

    Args:
        rows: `(B,)`, the batch's rows.
        weights: number of attention weights of the largest row, tokens by tokens.
    """
    size = max(1, int(len(rows) * LONG**2 // weights))
    return np.split(rows, range(size, len(rows), size))

"""Batches for evaluation: sentences of one length together, bounded by memory."""

import numpy as np

from dsa.data.batching.shapes import few_shapes, smallest_fit

LONG = 64  # tokens; memory of attention grows by the square of the length


def batches_by_length(sentences, batch_size, shapes=None):
    """All sentences by length, in batches: yields `(which (B,), ids (B, L))`.

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
        for which in order.reshape(-1, batch_size)
        for part in parts_by_memory(which, sentences.lengths[which[-1]] ** 2)
    ]
    needed = sentences.lengths[[which[-1] for which in batches]][:, None]
    needed = np.maximum(needed, 2)  # Keras warns of a softmax over a single token
    lengths = needed if shapes is None else few_shapes(needed, shapes)
    for which, longest in zip(batches, needed, strict=True):
        yield which, sentences.padded(which, smallest_fit(lengths, longest)[0])


def parts_by_memory(which, weights):
    """A batch whole, or, if a row has very many attention weights, in smaller parts.

    Args:
        which: `(B,)`, the batch's rows.
        weights: of the largest row, tokens by tokens.
    """
    size = max(1, int(len(which) * LONG**2 // weights))
    return np.split(which, range(size, len(which), size))

"""Batches of sentence pairs as a pure function of seed and step."""

import numpy as np

LENGTH_MULTIPLE = 4  # padded lengths, in tokens: few shapes, so few compiled programs


class PairBatches:
    """Training batches: pairs of similar length together, in a random order.

    Every epoch is a new permutation of the pairs. Inside windows of `window` batches
    the pairs are sorted by the longer sentence of each, cut into batches, and all
    batches of the epoch are shuffled. Batch `n` depends on the seed and on `n` alone,
    so that training can go on from any step.

    Sorting by the hypothesis too would save more padding, but its length carries the
    label in SNLI: batches would hold one label too often.

    Args:
        sentences: `dsa.data.sentences.Sentences`, as ids of the vocabulary.
        premise, hypothesis: `(N,)` positions in `sentences`.
        labels: `(N,)` label ids.
        batch_size: pairs a batch; the last one of an epoch can be smaller.
        seed: of the order.
        window: batches sorted together; 1 for random batches.
    """

    def __init__(
        self, sentences, premise, hypothesis, labels, batch_size, seed, window=50
    ):
        self.sentences = sentences
        self.premise = premise
        self.hypothesis = hypothesis
        self.labels = labels.astype(np.int32)
        self.batch_size = batch_size
        self.seed = seed
        self.window = window
        self._epoch = None

    @property
    def steps_per_epoch(self):
        return -(-len(self.labels) // self.batch_size)

    def rows(self, step):
        """Which pairs batch `step` holds, `(batch,)`; steps count on over epochs."""
        epoch, position = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:  # a cache only: the order follows from seed and epoch
            self._order, self._epoch = self._order_of(epoch), epoch
        return self._order[position]

    def batch(self, step):
        """Batch `step`: `({"premise": (B, P), "hypothesis": (B, Q)}, labels (B,))`."""
        rows = self.rows(step)
        return self.inputs(rows), self.labels[rows]

    def inputs(self, rows):
        """The padded token ids of some pairs."""
        return {
            "premise": self.sentences.padded(self.premise[rows], LENGTH_MULTIPLE),
            "hypothesis": self.sentences.padded(self.hypothesis[rows], LENGTH_MULTIPLE),
        }

    def _order_of(self, epoch):
        random = np.random.default_rng([self.seed, epoch])
        order = random.permutation(len(self.labels))
        lengths = self.sentences.lengths
        longer = np.maximum(lengths[self.premise], lengths[self.hypothesis])
        batches = []
        size = self.window * self.batch_size
        for start in range(0, len(order), size):
            window = order[start : start + size]
            window = window[np.argsort(longer[window], kind="stable")]
            batches += np.split(
                window, range(self.batch_size, len(window), self.batch_size)
            )
        return [batches[i] for i in random.permutation(len(batches))]


def batches_by_length(sentences, batch_size):
    """All sentences by length, in batches: yields `(which (B,), ids (B, L))`."""
    order = np.argsort(sentences.lengths, kind="stable")
    for start in range(0, len(order), batch_size):
        which = order[start : start + batch_size]
        yield which, sentences.padded(which, LENGTH_MULTIPLE)

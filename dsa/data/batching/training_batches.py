"""Batches of sentences, or of pairs, as a pure function of seed and step."""

import numpy as np

from dsa.data.batching.fixed_size import filled
from dsa.data.batching.shapes import few_shapes, smallest_fit

BATCHES_A_GROUP = 20


class Batches:
    """Training batches: pairs of similar lengths together, in a random order.

    Every epoch is a new permutation of the pairs. With `by_length` they are sorted by
    the premise and cut into groups of 20 batches; inside a group the pairs of each
    label are sorted by the hypothesis and dealt to the batches in proportion. So a
    batch holds premises of almost one length and hypotheses of similar ones, and, as
    the length of a hypothesis carries the label in SNLI, yet no label too often. Then
    the batches are shuffled. What does not fill a batch is drawn at random and comes
    as a smaller one at the end of the epoch.

    Batch `n` depends on the seed and on `n` alone, so that training can go on from any
    step.

    Single sentences go the same way, each its own premise and hypothesis.

    With `at_once`, batches of one padded shape follow each other, so many at a time,
    from the start of each epoch on.

    Args:
        sentences: `Sentences`, as ids of the vocabulary.
        texts: `(N, T)` positions in `sentences`.
        inputs: T names of the model's inputs.
        labels: `(N,)` label ids, int; or scores, float, dealt by their whole numbers.
        batch_size: rows a batch.
        seed: of the order.
        by_length: `False` for random batches.
        shapes: how many padded shapes there are at most, two or more; `None` pads each
            batch to its own longest sentences.
        at_once: batches that `stacked` puts together.
    """

    def __init__(
        self,
        sentences,
        texts,
        inputs,
        labels,
        batch_size,
        seed,
        by_length=True,
        shapes=None,
        at_once=1,
    ):
        self.sentences = sentences
        self.texts = texts
        self.inputs = inputs
        scores = np.issubdtype(labels.dtype, np.floating)
        self.labels = labels.astype(np.float32 if scores else np.int32)
        self.batch_size = batch_size
        self.seed = seed
        self.by_length = by_length
        self.at_once = at_once
        self._lengths = sentences.lengths[texts]
        self._epoch = None
        self.shapes = None
        if shapes:
            self.shapes = self._choose_shapes(shapes)

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
        """Batch `step`: a dictionary of ids `(B, L)` by input, and labels `(B,)`."""
        rows = self.rows(step)
        return self._padded(rows, self._shape(rows))

    def stacked(self, steps):
        """The batches of some steps, each `filled`, in one padded shape; of fewer than
        `at_once` in the largest: so few counts of steps cost one program each.

        Returns: ids `(steps, B, L)` by input; labels and weights `(steps, B)`.
        """
        rows = [self.rows(step) for step in steps]
        shape = self.shapes[-1]
        if len(rows) == self.at_once:
            shape = self._fitting(self._lengths[np.concatenate(rows)].max(axis=0))
        batches = [filled(self._padded(each, shape), self.batch_size) for each in rows]
        inputs, labels, weights = zip(*batches, strict=True)
        stacked = {name: np.stack([ids[name] for ids in inputs]) for name in inputs[0]}
        return stacked, np.stack(labels), np.stack(weights)

    def _padded(self, rows, shape):
        columns = zip(self.inputs, self.texts[rows].T, shape.tolist(), strict=True)
        inputs = {
            name: self.sentences.padded(which, length)
            for name, which, length in columns
        }
        return inputs, self.labels[rows]

    def padding(self, epoch=0):
        """The share of padding among the tokens of an epoch's batches."""
        padded = sum(
            len(rows) * self._shape(rows).sum() for rows in self._order_of(epoch)
        )
        return 1 - self._lengths.sum() / padded

    def _shape(self, rows):
        """Padded lengths `(T,)` of a batch."""
        longest = self._lengths[rows].max(axis=0)
        if self.shapes is not None and len(rows) < self.batch_size:
            return self.shapes[-1]  # one program more, not one more an epoch
        return self._fitting(longest)

    def _fitting(self, longest):
        return longest if self.shapes is None else smallest_fit(self.shapes, longest)

    def _choose_shapes(self, at_most):
        """Fit for the first epoch; the last one holds any pair of any epoch."""
        full = [rows for rows in self._order_of(0) if len(rows) == self.batch_size]
        if self.at_once == 1:  # `stacked` fills the smaller batch up
            at_most -= len(self.labels) % self.batch_size > 0
        needed = [self._lengths[rows].max(axis=0) for rows in full]
        needed.append(self._lengths.max(axis=0))
        return few_shapes(np.array(needed), max(at_most, 1))

    def _order_of(self, epoch):
        random = np.random.default_rng([self.seed, epoch])
        order = random.permutation(len(self.labels))
        whole = len(order) // self.batch_size * self.batch_size
        order, rest = order[:whole], order[whole:]
        if self.by_length:
            order = self._sorted(order)
        batches = order.reshape(-1, self.batch_size)
        batches = [batches[i] for i in random.permutation(len(batches))]
        if self.at_once > 1:
            batches = self._by_shape(batches, random)
        return [*batches, rest] if len(rest) else batches

    def _by_shape(self, batches, random):
        """So many of one shape behind each other, then what is left over, shape by
        shape; all in a random order."""
        alike = {}
        for rows in batches:  # which are shuffled, and so are the shapes
            alike.setdefault(tuple(self._shape(rows)), []).append(rows)
        whole, rest = [], []
        for same in alike.values():
            count = len(same) // self.at_once * self.at_once
            whole += [same[i : i + self.at_once] for i in range(0, count, self.at_once)]
            rest += same[count:]
        order = random.permutation(len(whole))
        return [rows for number in order for rows in whole[number]] + rest

    def _sorted(self, order):
        lengths = self._lengths[order]
        premise, hypothesis = lengths[:, 0], lengths[:, -1]
        by_premise = np.argsort(premise, kind="stable")
        order, hypothesis = order[by_premise], hypothesis[by_premise]
        labels = np.rint(self.labels[order])
        size = BATCHES_A_GROUP * self.batch_size
        group = np.arange(len(order)) // size
        ranked = np.lexsort((hypothesis, labels, group))
        # the place of each pair among those of its group and label, from 0 to 1
        _, starts, counts = np.unique(
            np.stack([group, labels])[:, ranked],
            axis=1,
            return_index=True,
            return_counts=True,
        )
        place = np.arange(len(order)) - np.repeat(starts, counts) + 0.5
        place /= np.repeat(counts, counts)
        return order[ranked][np.lexsort((place, group[ranked]))]

"""Batches of sentences, or of pairs, as a pure function of seed and step.

N rows, T sentences per row (2 for pairs), B rows per batch.
"""

import dataclasses
import functools

import numpy as np

from dsa.data.batching.orders import (
    keep_premises_together,
    sort_by_length,
    sort_premises_together,
)
from dsa.data.batching.shapes import choose_shapes, choose_smallest_fit
from dsa.data.rows.model_rows import ModelRows
from dsa.tasks.task import PREMISE_POSITIONS

Batch = dict[str, np.ndarray]  # ids `(B, L)` by input


@dataclasses.dataclass(frozen=True)
class TrainingRows:
    """What a model is trained on. Every epoch has the first `always` rows, and draws
    `drawn` of the others."""

    rows: ModelRows
    labels: np.ndarray  # `(N,)` label ids, int; or scores, float
    always: int | None = None  # `None` for all
    drawn: int = 0

    def draw(self, random: np.random.Generator) -> np.ndarray:
        """The rows of an epoch in a random order."""
        count = len(self.labels)
        if self.always is None or self.always == count:
            return random.permutation(count)
        others = random.choice(count - self.always, self.drawn, replace=False)
        rows = np.concatenate([np.arange(self.always), self.always + others])
        return random.permutation(rows)

    @property
    def rows_per_epoch(self) -> int:
        """How many rows an epoch has."""
        return len(self.labels) if self.always is None else self.always + self.drawn


class TrainingBatches:
    """Training batches: pairs of similar lengths together, in a random order.

    Every epoch is a new permutation of its pairs. With `by_length` they are ordered by
    `sort_by_length`: a batch holds premises of almost one length and hypotheses of
    similar lengths, but no label too often, although the length of a hypothesis carries
    the label in SNLI. Then the batches are shuffled. The pairs that do not fill a batch
    are drawn at random; they are a smaller batch at the end of the epoch.

    Batch `n` depends only on the seed and on `n`, so that training can resume at any
    step.

    Single sentences go the same way: each is premise and hypothesis at once. Scores are
    dealt by their nearest whole numbers.

    Args:
        by_length: `False` for random batches.
        premises_once: whether pairs with the same premise come in one batch, in which
            it stands once (`sort_premises_together`, `ModelRows.pad_premises_once`).
        shapes: how many padded shapes there are at most, two or more; `None` pads each
            batch to its own longest sentences.
    """

    def __init__(  # noqa: PLR0913 (settings of `training`)
        self,
        training_rows: TrainingRows,
        batch_size: int,
        seed: int,
        by_length: bool = True,
        shapes: int | None = None,
        premises_once: bool = False,
    ):
        labels = training_rows.labels
        scores = np.issubdtype(labels.dtype, np.floating)
        self.training_rows = training_rows
        self.rows = training_rows.rows
        self.labels = labels.astype(np.float32 if scores else np.int32)
        self.batch_size = batch_size
        self.seed = seed
        self.by_length = by_length
        self.premises_once = premises_once
        self._lengths = self.rows.lengths
        self._epoch = None
        self.shapes: np.ndarray | None = None  # `_choose_shapes` asks
        self.shapes = self._choose_shapes(shapes) if shapes else None

    @property
    def steps_per_epoch(self) -> int:
        return -(-self.training_rows.rows_per_epoch // self.batch_size)

    def rows_of_batch(self, step: int) -> np.ndarray:
        """The rows of batch `step`, `(B,)`; steps count on over epochs."""
        epoch, position = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:  # a cache only: the order follows from seed and epoch
            self._order, self._epoch = self._order_epoch(epoch), epoch
        return self._order[position]

    def make_batch(self, step: int) -> tuple[Batch, np.ndarray]:
        """Batch `step`: what `ModelRows.pad` gives, and labels `(B,)`."""
        rows = self.rows_of_batch(step)
        return self._pad(rows, self._choose_shape(rows))

    def _pad(self, rows, shape):
        if self.premises_once:
            *lengths, premises = shape
            inputs = self.rows.pad_premises_once(rows, lengths, premises)
        else:
            inputs = self.rows.pad(rows, shape)
        return inputs, self.labels[rows]

    def _measure(self, rows):
        """The lengths that a batch needs, `(T,)`; with `premises_once` followed by its
        number of premises."""
        longest = self._lengths[rows].max(axis=0)
        if not self.premises_once:
            return longest
        return np.array([*longest, len(np.unique(self.rows.texts[rows, 0]))])

    @property
    def _largest(self):
        """What holds any batch of any epoch, see `_measure`."""
        longest = self._lengths.max(axis=0)
        return np.array([*longest, self.batch_size]) if self.premises_once else longest

    def _choose_shape(self, rows):
        """The padded shape of a batch, see `_measure`."""
        if self.shapes is not None and len(rows) < self.batch_size:
            return self.shapes[-1]  # one program more, not one more an epoch
        return self._fit(self._measure(rows))

    def _fit(self, needed):
        return (
            needed if self.shapes is None else choose_smallest_fit(self.shapes, needed)
        )

    def _choose_shapes(self, at_most):
        """Fit for the first epoch; the last one holds any pair of any epoch."""
        full = [rows for rows in self._order_epoch(0) if len(rows) == self.batch_size]
        if self.training_rows.rows_per_epoch % self.batch_size:
            at_most -= 1  # the smaller last batch has a program of its own
        needed = np.array([*map(self._measure, full), self._largest])
        if not self.premises_once:
            return choose_shapes(needed, max(at_most, 1))
        if at_most == 1 or not full:
            return needed[-1:]
        # all have one number of premises; a batch of more has the largest shape
        premises = int(needed[:-1, 2].max())
        lengths = choose_shapes(
            needed[:, :2], at_most - 1, np.array([premises / self.batch_size, 1.0])
        )
        with_premises = np.insert(lengths, 2, premises, axis=1)
        return np.concatenate([with_premises, needed[-1:]])

    def _order_epoch(self, epoch):
        """The rows of every batch of an epoch, a list of arrays."""
        random = np.random.default_rng([self.seed, epoch])
        order = self.training_rows.draw(random)
        whole = len(order) // self.batch_size * self.batch_size
        order, rest = order[:whole], order[whole:]
        if len(order):
            order = self._sort(order)
        batches = order.reshape(-1, self.batch_size)
        batches = [batches[i] for i in random.permutation(len(batches))]
        return [*batches, rest] if len(rest) else batches

    def _sort(self, order):
        """Rows in the order in which batches are cut from them."""
        if self.premises_once:
            premises = self.rows.texts[order, 0]
            if not self.by_length:
                return order[keep_premises_together(premises)]
            sort = functools.partial(sort_premises_together, premises=premises)
        elif self.by_length:
            sort = sort_by_length
        else:
            return order
        return sort(
            order,
            lengths=self._lengths[order],
            labels=self.labels[order],
            batch_size=self.batch_size,
        )


def fill_to_batch_size(batch: tuple[Batch, np.ndarray], size: int):
    """Returns a batch filled to `size` rows by copies of its first row, with weight 0:
    inputs, labels, and weights `(size,)`, float32.

    The weights of the other rows make the mean loss over all rows the mean over those.
    In means over several batches, as Keras logs them, the batch counts as one of so
    many rows. Premises that stand once are as many as they were.
    """
    inputs, labels = batch
    count = len(labels)
    rows = np.zeros(size, np.int64)
    rows[:count] = np.arange(count)
    weights = np.zeros(size, np.float32)
    weights[:count] = size / count
    once = {"premise"} if PREMISE_POSITIONS in inputs else ()
    filled = {name: ids if name in once else ids[rows] for name, ids in inputs.items()}
    return filled, labels[rows], weights

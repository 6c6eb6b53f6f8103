"""Training batches of sentences or pairs as a pure function of seed and step.

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
    """Training rows and labels. Every epoch contains the first `always` rows and a
    random sample of `drawn` other rows."""

    rows: ModelRows
    labels: np.ndarray  # `(N,)`, int label ids or float scores
    always: int | None = None  # `None` for all rows
    drawn: int = 0

    def draw_rows(self, random: np.random.Generator) -> np.ndarray:
        """Returns the rows of an epoch in random order."""
        count = len(self.labels)
        if self.always is None or self.always == count:
            return random.permutation(count)
        others = random.choice(count - self.always, self.drawn, replace=False)
        rows = np.concatenate([np.arange(self.always), self.always + others])
        return random.permutation(rows)

    @property
    def rows_per_epoch(self) -> int:
        """Number of rows per epoch."""
        return len(self.labels) if self.always is None else self.always + self.drawn


class TrainingBatches:
    """Training batches in random order, each with pairs of similar length.

    Every epoch is a new permutation of the pairs. With `by_length`, pairs are sorted by
    `sort_by_length`, which distributes the labels evenly, because the length of a
    hypothesis correlates with the label in SNLI. The batches are then shuffled. A
    random remainder of pairs forms a smaller batch at the end of the epoch.

    Batch `n` depends only on the seed and `n`, so that training can resume at any step.

    Single sentences are treated as premise and hypothesis at once. Scores are rounded
    to integers for the distribution.

    Args:
        by_length: `False` for random batches.
        premises_once: whether pairs with the same premise share a batch that contains
            the premise once (`sort_premises_together`, `ModelRows.pad_premises_once`).
        shapes: maximum number of padded shapes, at least two; `None` pads each batch to
            its longest sentences.
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
        self.shapes: np.ndarray | None = None  # read by `_choose_shapes`
        self.shapes = self._choose_shapes(shapes) if shapes else None

    @property
    def steps_per_epoch(self) -> int:
        return -(-self.training_rows.rows_per_epoch // self.batch_size)

    def rows_of_batch(self, step: int) -> np.ndarray:
        """Returns the rows of batch `step`, `(B,)`. Steps are counted over all
        epochs."""
        epoch, position = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:  # cached: the order depends on seed and epoch only
            self._order, self._epoch = self._order_epoch(epoch), epoch
        return self._order[position]

    def make_batch(self, step: int) -> tuple[Batch, np.ndarray]:
        """Returns the inputs of batch `step` as `ModelRows.pad`, and labels `(B,)`."""
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
        """Returns the minimum shape of a batch: the lengths, `(T,)`, followed by the
        number of premises if `premises_once`."""
        longest = self._lengths[rows].max(axis=0)
        if not self.premises_once:
            return longest
        return np.array([*longest, len(np.unique(self.rows.texts[rows, 0]))])

    @property
    def _largest(self):
        """A shape that fits any batch of any epoch, as in `_measure`."""
        longest = self._lengths.max(axis=0)
        return np.array([*longest, self.batch_size]) if self.premises_once else longest

    def _choose_shape(self, rows):
        """Returns the padded shape of a batch, as in `_measure`."""
        if self.shapes is not None and len(rows) < self.batch_size:
            return self.shapes[-1]  # compiled once, not once per epoch
        return self._fit(self._measure(rows))

    def _fit(self, needed):
        return (
            needed if self.shapes is None else choose_smallest_fit(self.shapes, needed)
        )

    def _choose_shapes(self, at_most):
        """Chooses shapes for the first epoch; the last shape fits any batch."""
        full = [rows for rows in self._order_epoch(0) if len(rows) == self.batch_size]
        if self.training_rows.rows_per_epoch % self.batch_size:
            at_most -= 1  # the smaller last batch is compiled separately
        needed = np.array([*map(self._measure, full), self._largest])
        if not self.premises_once:
            return choose_shapes(needed, max(at_most, 1))
        if at_most == 1 or not full:
            return needed[-1:]
        # same number of premises for all; larger batches use the largest shape
        premises = int(needed[:-1, 2].max())
        lengths = choose_shapes(
            needed[:, :2], at_most - 1, np.array([premises / self.batch_size, 1.0])
        )
        with_premises = np.insert(lengths, 2, premises, axis=1)
        return np.concatenate([with_premises, needed[-1:]])

    def _order_epoch(self, epoch):
        """Returns the rows of every batch of an epoch, a list of arrays."""
        random = np.random.default_rng([self.seed, epoch])
        order = self.training_rows.draw_rows(random)
        whole = len(order) // self.batch_size * self.batch_size
        order, rest = order[:whole], order[whole:]
        if len(order):
            order = self._sort(order)
        batches = order.reshape(-1, self.batch_size)
        batches = [batches[i] for i in random.permutation(len(batches))]
        return [*batches, rest] if len(rest) else batches

    def _sort(self, order):
        """Returns rows in the order in which they are divided into batches."""
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
    """Returns a batch padded to `size` rows with copies of its first row.

    The copies have weight 0. The weights of the original rows make the mean loss over
    all rows equal to their own mean, so that Keras's running means count the batch as
    `size` rows. The number of premises is unchanged with `premises_once`.

    Returns: inputs, labels, and float32 weights `(size,)`.
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

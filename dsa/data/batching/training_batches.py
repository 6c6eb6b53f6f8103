"""Training batches of sentences or pairs as a pure function of seed and step.

Axes: N rows, T sentences per row (2 for pairs), B rows per batch, L tokens.
"""

import dataclasses
import math

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
    """Training rows and labels. Every epoch contains the first `fixed_count` rows and a
    random sample of `sample_size` other rows."""

    rows: ModelRows
    labels: np.ndarray  # `(N,)`, int label ids or float scores
    fixed_count: int | None = None  # `None` for all rows
    sample_size: int = 0

    def draw_rows(self, random: np.random.Generator) -> np.ndarray:
        """Returns the rows of an epoch in random order."""
        count = len(self.labels)
        if self.fixed_count is None or self.fixed_count == count:
            return random.permutation(count)
        fixed = np.arange(self.fixed_count)
        others = random.choice(count - len(fixed), self.sample_size, replace=False)
        rows = np.concatenate([fixed, len(fixed) + others])
        return random.permutation(rows)

    @property
    def rows_per_epoch(self) -> int:
        """Number of rows per epoch."""
        if self.fixed_count is None:
            return len(self.labels)
        return self.fixed_count + self.sample_size


class TrainingBatches:
    """Training batches of pairs of similar length, in random order.

    Every epoch is a new permutation of the pairs. With `by_length`, pairs are sorted by
    `sort_by_length` and the batches are shuffled. `sort_by_length` distributes the
    labels evenly, since hypothesis length correlates with the label in SNLI. The last
    batch of an epoch contains the remaining pairs and may be smaller.

    Batch `n` depends only on the seed and `n`, so that training can resume at any step.

    Single sentences serve as both premise and hypothesis. To distribute scores evenly,
    they are rounded to integers.

    Args:
        training_rows: the `TrainingRows`.
        batch_size: rows per batch.
        seed: seed of the row order.
        by_length: whether to batch rows of similar length.
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
        self._epoch: int | None = None
        self._order: list[np.ndarray] = []  # batches of `_epoch`
        self.shapes: np.ndarray | None = self._choose_shapes(shapes) if shapes else None

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches per epoch."""
        return math.ceil(self.training_rows.rows_per_epoch / self.batch_size)

    def rows_of_batch(self, step: int) -> np.ndarray:
        """Returns the row indices of batch `step`, `(B,)`; `step` counts across
        epochs."""
        epoch, position = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            self._order = self._order_epoch(epoch)
            self._epoch = epoch
        return self._order[position]

    def make_batch(self, step: int) -> tuple[Batch, np.ndarray]:
        """Returns the padded inputs of batch `step`, and its labels `(B,)`."""
        rows = self.rows_of_batch(step)
        return self._pad(rows, self._choose_shape(rows))

    def _pad(self, rows, shape):
        """Returns the inputs of rows, padded to a shape as in `_min_shape`, and the
        labels."""
        if self.premises_once:
            *lengths, premises = shape
            inputs = self.rows.pad_premises_once(rows, lengths, premises)
        else:
            inputs = self.rows.pad(rows, shape)
        return inputs, self.labels[rows]

    def _min_shape(self, rows):
        """Returns the minimum shape of a batch: the lengths, `(T,)`, followed by the
        number of premises if `premises_once`."""
        longest = self._lengths[rows].max(axis=0)
        if not self.premises_once:
            return longest
        return np.array([*longest, len(np.unique(self.rows.texts[rows, 0]))])

    @property
    def _max_shape(self):
        """Shape, as in `_min_shape`, that fits any batch of any epoch."""
        longest = self._lengths.max(axis=0)
        return np.array([*longest, self.batch_size]) if self.premises_once else longest

    def _choose_shape(self, rows):
        """Returns the padded shape of a batch, as in `_min_shape`."""
        if self.shapes is None:
            return self._min_shape(rows)
        if len(rows) < self.batch_size:
            return self.shapes[-1]  # compiled once, not once per epoch
        return choose_smallest_fit(self.shapes, self._min_shape(rows))

    def _choose_shapes(self, max_shapes):
        """Returns padded shapes chosen for the first epoch; the last fits every batch
        of every epoch."""
        full = [rows for rows in self._order_epoch(0) if len(rows) == self.batch_size]
        if self.training_rows.rows_per_epoch % self.batch_size:
            max_shapes -= 1  # the smaller last batch is compiled separately
        min_shapes = np.array([*map(self._min_shape, full), self._max_shape])
        if not self.premises_once:
            return choose_shapes(min_shapes, max(max_shapes, 1))
        if max_shapes == 1 or not full:
            return min_shapes[-1:]
        # one number of premises for all shapes but the largest
        premises = int(min_shapes[:-1, 2].max())
        weights = np.array([premises / self.batch_size, 1.0])
        lengths = choose_shapes(min_shapes[:, :2], max_shapes - 1, weights)
        with_premises = np.insert(lengths, 2, premises, axis=1)
        return np.concatenate([with_premises, min_shapes[-1:]])

    def _order_epoch(self, epoch):
        """Returns the row indices of each batch of an epoch, a list of arrays."""
        random = np.random.default_rng([self.seed, epoch])
        order = self.training_rows.draw_rows(random)
        full = len(order) // self.batch_size * self.batch_size
        order, remainder = order[:full], order[full:]
        if len(order):
            order = self._sort(order)
        batches = order.reshape(-1, self.batch_size)
        batches = [batches[i] for i in random.permutation(len(batches))]
        return [*batches, remainder] if len(remainder) else batches

    def _sort(self, order):
        """Returns the rows in batch order."""
        premises = self.rows.texts[order, 0]
        lengths, labels = self._lengths[order], self.labels[order]
        if self.premises_once and self.by_length:
            return sort_premises_together(
                order, premises, lengths, labels, self.batch_size
            )
        if self.premises_once:
            return order[keep_premises_together(premises)]
        if self.by_length:
            return sort_by_length(order, lengths, labels, self.batch_size)
        return order


def fill_to_batch_size(batch: tuple[Batch, np.ndarray], size: int):
    """Returns a batch padded to `size` rows with copies of its first row.

    The copies have weight 0. The original rows have weight `size / B`, so that the mean
    loss is unchanged and Keras's running means count the batch as `size` rows. With
    `premises_once`, the number of premises is unchanged.

    Args:
        batch: inputs, and labels `(B,)`.
        size: number of rows of the padded batch, at least B.

    Returns: inputs, labels `(size,)`, and float32 sample weights `(size,)`.
    """
    inputs, labels = batch
    count = len(labels)
    rows = np.zeros(size, np.int64)
    rows[:count] = np.arange(count)
    weights = np.zeros(size, np.float32)
    weights[:count] = size / count
    unchanged = {"premise"} if PREMISE_POSITIONS in inputs else ()
    filled = {
        name: ids if name in unchanged else ids[rows] for name, ids in inputs.items()
    }
    return filled, labels[rows], weights

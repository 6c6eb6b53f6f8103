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
from dsa.data.batching.shapes import choose_shapes, find_smallest_shape
from dsa.data.rows.model_rows import Batch, ModelRows


@dataclasses.dataclass(frozen=True)
class TrainingRows:
    """Training rows and labels.

    Every epoch contains the first `fixed_count` rows, and a random sample of the other
    rows.

    Args:
        rows: model inputs of N rows.
        labels: int label ids or float scores, `(N,)`.
        fixed_count: number of rows that every epoch contains; `None` for all rows.
        sample_size: number of other rows per epoch.
    """

    rows: ModelRows
    labels: np.ndarray
    fixed_count: int | None = None
    sample_size: int = 0

    def draw_rows(self, random: np.random.Generator) -> np.ndarray:
        """Returns the row indices of an epoch in random order, `(rows_per_epoch,)`."""
        num_rows = len(self.labels)
        if self.fixed_count is None or self.fixed_count == num_rows:
            return random.permutation(num_rows)
        num_others = num_rows - self.fixed_count
        sample = random.choice(num_others, self.sample_size, replace=False)
        rows = [np.arange(self.fixed_count), self.fixed_count + sample]
        return random.permutation(np.concatenate(rows))

    @property
    def shares_per_epoch(self) -> np.ndarray:
        """Share of the epochs that contain each row, float array `(N,)`."""
        shares = np.ones(len(self.labels))
        if self.fixed_count is not None and self.fixed_count < len(shares):
            num_others = len(shares) - self.fixed_count
            shares[self.fixed_count :] = self.sample_size / num_others
        return shares

    @property
    def rows_per_epoch(self) -> int:
        """Number of rows per epoch."""
        if self.fixed_count is None:
            return len(self.labels)
        return self.fixed_count + self.sample_size


class TrainingBatches:
    """Training batches in random order.

    Every epoch is a new permutation of its rows, see `TrainingRows.draw_rows`. With
    `by_length`, the rows are sorted by `sort_by_length` and the batches are shuffled.
    `sort_by_length` distributes the labels evenly over the batches, because hypothesis
    length correlates with the label in SNLI. The last batch of an epoch contains the
    remaining pairs and may be smaller.

    The rows of a batch depend only on the seed and the step, so training can resume at
    any step.

    A single sentence is sorted like a pair of equal sentences. To distribute scores
    evenly, they are rounded to integer labels.

    Args:
        training_rows: the `TrainingRows`.
        batch_size: rows per batch.
        seed: seed of the row order.
        by_length: whether to batch rows of similar length.
        premises_once: whether pairs with the same premise share a batch that contains
            the premise once (`sort_premises_together`, `ModelRows.pad_premises_once`).
        max_shapes: maximum number of padded shapes, at least two; `None` pads each
            batch to its longest sentences.
    """

    def __init__(  # noqa: PLR0913 (settings of `training`)
        self,
        training_rows: TrainingRows,
        batch_size: int,
        seed: int,
        by_length: bool = True,
        max_shapes: int | None = None,
        premises_once: bool = False,
    ):
        labels = training_rows.labels
        has_scores = np.issubdtype(labels.dtype, np.floating)
        self.training_rows = training_rows
        self.rows = training_rows.rows
        self.labels = labels.astype(np.float32 if has_scores else np.int32)
        self.batch_size = batch_size
        self.seed = seed
        self.by_length = by_length
        self.premises_once = premises_once
        self._lengths = self.rows.lengths
        self._epoch: int | None = None  # epoch of the last batch
        self._epoch_batches: list[np.ndarray] = []  # rows of the batches of `_epoch`
        self.shapes: np.ndarray | None = None
        if max_shapes is not None:
            self.shapes = self._choose_shapes(max_shapes)

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches per epoch."""
        return math.ceil(self.training_rows.rows_per_epoch / self.batch_size)

    def get_batch_rows(self, step: int) -> np.ndarray:
        """Returns the row indices of a batch, `(B,)`.

        Args:
            step: number of preceding batches in all epochs.
        """
        epoch, position = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            self._epoch_batches = self._batch_epoch(epoch)
            self._epoch = epoch
        return self._epoch_batches[position]

    def make_batch(self, step: int) -> tuple[Batch, np.ndarray]:
        """Returns the padded inputs of a batch, and its labels `(B,)`.

        Args:
            step: as in `get_batch_rows`.
        """
        rows = self.get_batch_rows(step)
        return self._pad(rows, self._choose_shape(rows))

    def _pad(self, rows, shape):
        """Returns the inputs of rows, padded to a shape of `_choose_shape`, and the
        labels of the rows."""
        if self.premises_once:
            *lengths, premises = shape
            inputs = self.rows.pad_premises_once(rows, lengths, premises)
        else:
            inputs = self.rows.pad(rows, shape)
        return inputs, self.labels[rows]

    def _measure_min_shape(self, rows):
        """Returns the minimum shape of a batch: the maximum lengths, `(T,)`, followed
        by the number of distinct premises if `premises_once`."""
        max_lengths = self._lengths[rows].max(axis=0)
        if not self.premises_once:
            return max_lengths
        premises = np.unique(self.rows.sentence_indices[rows, 0])
        return np.array([*max_lengths, len(premises)])

    @property
    def _max_shape(self):
        """Shape that is large enough for every batch of every epoch."""
        max_lengths = self._lengths.max(axis=0)
        if not self.premises_once:
            return max_lengths
        return np.array([*max_lengths, self.batch_size])

    def _choose_shape(self, rows):
        """Returns the padded shape of a batch: the padded lengths, `(T,)`, followed by
        the padded number of premises if `premises_once`."""
        if self.shapes is None:
            return self._measure_min_shape(rows)
        if len(rows) < self.batch_size:
            # the largest shape: the smaller last batch is compiled once, instead of
            # once per epoch
            return self.shapes[-1]
        return find_smallest_shape(self.shapes, self._measure_min_shape(rows))

    def _choose_shapes(self, max_shapes):
        """Returns padded shapes for the batches of the first epoch. The last shape is
        large enough for every batch of every epoch."""
        full = [rows for rows in self._batch_epoch(0) if len(rows) == self.batch_size]
        if self.training_rows.rows_per_epoch % self.batch_size:
            max_shapes -= 1  # the smaller last batch is compiled separately
        min_shapes = np.array([*map(self._measure_min_shape, full), self._max_shape])
        if not self.premises_once:
            return choose_shapes(min_shapes, max(max_shapes, 1))
        if max_shapes == 1 or not full:
            return min_shapes[-1:]
        # all shapes except the largest have the same number of premises
        premises = int(min_shapes[:-1, 2].max())
        weights = np.array([premises / self.batch_size, 1.0])
        lengths = choose_shapes(min_shapes[:, :2], max_shapes - 1, weights)
        with_premises = np.insert(lengths, 2, premises, axis=1)
        return np.concatenate([with_premises, min_shapes[-1:]])

    def _batch_epoch(self, epoch):
        """Returns the row indices of the batches of an epoch, one array per batch."""
        random = np.random.default_rng([self.seed, epoch])
        order = self.training_rows.draw_rows(random)
        num_full = len(order) // self.batch_size
        remainder = order[num_full * self.batch_size :]
        order = order[: num_full * self.batch_size]
        if len(order):
            order = self._sort(order)
        full_batches = order.reshape(num_full, self.batch_size)
        batches = [full_batches[index] for index in random.permutation(num_full)]
        if len(remainder):
            batches.append(remainder)
        return batches

    def _sort(self, order):
        """Returns the rows in batch order: each `batch_size` rows form a batch."""
        premises = self.rows.sentence_indices[order, 0]
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


def fill_to_batch_size(
    batch: tuple[Batch, np.ndarray], size: int
) -> tuple[Batch, np.ndarray, np.ndarray]:
    """Pads a batch of B rows to `size` rows with copies of its first row.

    The copies have weight 0. The original rows have weight `size / B`, so the mean loss
    is unchanged, and the running means of Keras count the batch as `size` rows.

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
    filled = {name: array[rows] for name, array in inputs.items()}
    return filled, labels[rows], weights

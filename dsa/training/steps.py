"""Plans the training steps and makes the training batches."""

import dataclasses
import itertools
import logging
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dsa.backends.compilation import compiles_each_shape
from dsa.backends.devices import Devices
from dsa.data.batching.training_batches import (
    TrainingBatches,
    TrainingRows,
    fill_to_batch_size,
)
from dsa.data.prepared.corpus import PreparedCorpus
from dsa.errors import InputError
from dsa.experiment.training_config import TrainingConfig
from dsa.seeds import derived_seed
from dsa.training.training_data import TrainingData

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Steps:
    """Plan of the training steps, which are counted from 1 over all epochs.

    Args:
        interval: number of steps between two evaluations.
        last: number of the last step.
    """

    interval: int
    last: int

    @property
    def intervals(self) -> int:
        """Number of intervals up to the last step, rounded up."""
        return math.ceil(self.last / self.interval)


def plan_steps(config: TrainingConfig, steps_per_epoch: int) -> Steps:
    """Computes the length of an interval and the last step.

    Args:
        config: the `training` section.
        steps_per_epoch: number of steps in one pass over the training rows.

    Raises: `InputError` if dev would never be evaluated, or if training would end
        during the warm-up or before the first update of the weights.
    """
    last = config.last_step(steps_per_epoch)
    if config.evaluate_from > last:
        raise InputError(
            "'training.evaluate_from' must not be after the last step, "
            f"{last}, because no weights would be selected. "
            f"Received: {config.evaluate_from}"
        )
    if config.warmup_steps >= last:
        raise InputError(
            f"'training.warmup_steps' must be below the number of steps, {last}. "
            f"Received: {config.warmup_steps}"
        )
    if config.gradient_accumulation_steps > last:
        raise InputError(
            "'training.gradient_accumulation_steps' must not exceed the number of "
            f"steps, {last}, because no weight would change. "
            f"Received: {config.gradient_accumulation_steps}"
        )
    return Steps(config.evaluate_every or steps_per_epoch, last)


def make_batches(
    data: TrainingData, config: TrainingConfig, options: Any, seed: int
) -> TrainingBatches:
    """Makes the training batches.

    Args:
        data: the training data.
        config: the `training` section.
        options: training options of the corpus, which may repeat rows.
        seed: seed of the run.

    Raises: `InputError` if every row has a sentence with more than
        `training.max_tokens` tokens.
    """
    corpus = data.train_corpus
    rows = select_short_rows(corpus, config.max_tokens)
    rows = options.repeat_rows(rows, corpus.labels, corpus.groups, data.task)
    positions = np.searchsorted(corpus.labelled, rows)  # in `data.rows`
    num_fixed_rows = int((positions < data.num_fixed_rows).sum())
    sample_size = 0
    if data.mix_sample_size is not None:
        sample_size = min(data.mix_sample_size, len(positions) - num_fixed_rows)
    training_rows = TrainingRows(
        data.rows.select(positions), data.labels[positions], num_fixed_rows, sample_size
    )
    return TrainingBatches(
        training_rows,
        config.batch_size,
        derived_seed(seed, "batches"),
        config.by_length,
        config.shapes if compiles_each_shape() else None,
        config.premises_once,
    )


def generate_batches(
    batches: TrainingBatches, completed_steps: int, devices: Devices
) -> Iterator[Any]:
    """Yields training batches indefinitely.

    With several devices, each batch is filled until its size is a multiple of the
    number of devices.

    Args:
        batches: the batches of the run.
        completed_steps: number of completed steps, whose batches are skipped.
        devices: the devices of the run.
    """
    for step in itertools.count(completed_steps):
        batch = batches.make_batch(step)
        if len(devices) > 1:
            batch = fill_to_batch_size(
                batch, devices.round_up_batch_size(len(batch[1]))
            )
        yield batch


def resolve_max_tokens(lengths: np.ndarray, max_tokens: int | str) -> int:
    """Returns `training.max_tokens` as a number of tokens.

    Args:
        lengths: number of tokens of each sentence, an int array of any shape.
        max_tokens: a number of tokens, or `percentile P` for the smallest length that
            P % of the sentences do not exceed, as in the released code of Shen et al.
            2018.
    """
    if isinstance(max_tokens, int):
        return max_tokens
    percentile = float(max_tokens.removeprefix("percentile "))
    return int(np.quantile(lengths, percentile / 100, method="inverted_cdf"))


def select_short_rows(corpus: PreparedCorpus, max_tokens: int | str) -> np.ndarray:
    """Returns the labelled rows whose sentences have at most `max_tokens` tokens.

    The number of other rows is logged.

    Args:
        corpus: the corpus of the training rows.
        max_tokens: maximum length of a sentence, see `resolve_max_tokens`.

    Raises: `InputError` if every row has a sentence with more than `max_tokens` tokens.
    """
    rows = corpus.labelled
    lengths = corpus.sentences.lengths[corpus.sentence_indices]
    max_tokens = resolve_max_tokens(lengths, max_tokens)
    is_short = lengths[rows].max(axis=1) <= max_tokens
    if not is_short.all():
        log.info(
            "%d of %d rows are excluded from training, because a sentence has more "
            "than %d tokens ('training.max_tokens')",
            (~is_short).sum(),
            len(is_short),
            max_tokens,
        )
    if not is_short.any():
        raise InputError(
            "every training row has a sentence with more than 'training.max_tokens' "
            f"tokens. Received: {max_tokens}"
        )
    return rows[is_short]

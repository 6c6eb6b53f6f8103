"""The batches of a training, from its data and its config."""

import logging

import numpy as np

from dsa.backends.compilation import compiles_each_shape
from dsa.data.batching.training_batches import TrainingBatches, TrainingRows
from dsa.errors import InputError
from dsa.seeds import derived_seed

log = logging.getLogger(__name__)


def make_batches(experiment, data):
    """The `TrainingBatches` of a training.

    Args:
        experiment: an `Experiment`.
        data: its `TrainingData`.

    Raises: `InputError` if no row is short enough.
    """
    corpus, config = data.learned, experiment.training
    rows = _short_rows(corpus, config.max_tokens)
    options = experiment.data.training_options
    rows = options.repeat_rows(rows, corpus.labels, corpus.groups, experiment.task)
    rows = np.searchsorted(corpus.labelled, rows)  # their positions among `data.rows`
    always = int((rows < data.always_learned).sum())
    drawn = 0 if data.drawn is None else min(data.drawn, len(rows) - always)
    return TrainingBatches(
        TrainingRows(data.rows.select(rows), data.labels[rows], always, drawn),
        config.batch_size,
        derived_seed(experiment.seed, "batches"),
        config.by_length,
        config.shapes if compiles_each_shape() else None,
        config.steps_at_once,
    )


def find_longest(lengths, max_tokens):
    """The tokens that a sentence may have to be learned.

    Args:
        lengths: those of the sentences of all rows, an array of any shape.
        max_tokens: the number itself, or `percentile P`: the least length that P % of
            the sentences do not exceed, as in the released code of Shen et al. 2018.
    """
    if isinstance(max_tokens, int):
        return max_tokens
    share = float(max_tokens.split()[1]) / 100
    return int(np.quantile(lengths, share, method="inverted_cdf"))


def _short_rows(corpus, max_tokens):
    """The labelled rows without a sentence of more than `training.max_tokens`."""
    rows = corpus.labelled
    max_tokens = find_longest(corpus.sentences.lengths[corpus.texts], max_tokens)
    longest = corpus.sentences.lengths[corpus.texts[rows]].max(axis=1)
    short = longest <= max_tokens
    if not short.all():
        log.info(
            "%d of %d rows left out of training: a sentence has more than "
            "'training.max_tokens', %d, tokens",
            (~short).sum(),
            len(short),
            max_tokens,
        )
    if not short.any():
        raise InputError("no training row is within 'training.max_tokens'")
    return rows[short]

"""The features of many pairs as one array."""

import functools

import numpy as np

from dsa.data.pair_features.pair import Knowledge, Pair
from dsa.data.pair_features.statistics import check_pairs
from dsa.data.pair_features.wordnet import WordRelations, find_wordnet
from dsa.system.terminal import show_progress
from dsa.system.worker_processes import run_in_processes

PAIRS_PER_CHUNK = 500


def column_names(settings):
    """The names of the features, in order, a tuple of texts."""
    return tuple(name for group in settings.groups for name in group.columns)


def compute_features(settings, statistics, pairs, learned, *, root=None):
    """The features of pairs of sentences, by several processes if that saves time.

    Args:
        settings: the `FeatureSettings`.
        statistics: the `FeatureStatistics` of the training rows.
        pairs: tuples of two lists of tokens.
        learned: whether these are the training rows, also with swapped sentences: their
            n-grams are in the statistics already.
        root: the data root, as given on the command line.

    Returns: float64 `(N, F)`, columns as `column_names`.

    Raises: `InputError` for rows of single sentences, or if a package that the features
        need is not installed.

    Example:
        >>> from dsa.data.pair_features.settings import FeatureSettings
        >>> from dsa.data.pair_features.statistics import FeatureStatistics
        >>> settings = FeatureSettings(names=("lengths", "word_count"))
        >>> pairs = [(["who", "ate", "fish"], ["cats", "like", "fish", "."])]
        >>> statistics = FeatureStatistics.learn(settings, pairs, ["0"], None)
        >>> compute_features(settings, statistics, pairs, learned=True)
        array([[0.075, 0.1  , 1.   ]])
    """
    check_pairs(pairs)
    compute = functools.partial(_compute_chunk, settings, statistics, learned, root)
    chunks = [
        pairs[start : start + PAIRS_PER_CHUNK]
        for start in range(0, len(pairs), PAIRS_PER_CHUNK)
    ]
    results = _map_chunks(compute, chunks, any(g.slow for g in settings.groups))
    results = list(show_progress(results, "computing features", len(chunks)))
    return np.concatenate([np.empty((0, len(column_names(settings)))), *results])


def _map_chunks(compute, chunks, slow):
    if not slow or len(chunks) < 2:
        return map(compute, chunks)
    return run_in_processes(compute, [(chunk,) for chunk in chunks])


def _compute_chunk(settings, statistics, learned, root, pairs):
    reader = find_wordnet(root) if settings.without_wordnet else None
    knowledge = Knowledge(settings, statistics, _load_relations(reader))
    return np.array(
        [_compute_row(Pair(*pair, learned), knowledge) for pair in pairs], np.float64
    )


def _compute_row(pair, knowledge):
    groups = knowledge.settings.groups
    return [number for group in groups for number in group.compute(pair, knowledge)]


@functools.cache
def _load_relations(reader):
    """The words looked up so far are kept for the next chunk."""
    return WordRelations(reader)

"""Computes and caches pair features."""

import functools
import hashlib
import importlib.metadata
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.pair_features.groups import FeatureSettings
from dsa.data.pair_features.pair import Knowledge, Pair
from dsa.data.pair_features.statistics import FeatureStatistics, check_pairs
from dsa.data.pair_features.wordnet import WordRelations, open_wordnet
from dsa.system.arrays import read_cached, write_cached
from dsa.system.folders import get_cache_folder
from dsa.system.terminal import show_progress
from dsa.system.worker_processes import run_in_processes

Pairs = Sequence[tuple[list[str], list[str]]]  # tokenized sentences
PAIRS_PER_CHUNK = 500
VERSION = 1  # part of the cache key; increment it when a feature changes
PACKAGES = ("nltk", "sacrebleu", "scikit-learn")  # packages that affect the features
log = logging.getLogger(__name__)


def compute_features(
    settings: FeatureSettings,
    statistics: FeatureStatistics,
    pairs: Pairs,
    is_train: bool,
    *,
    root: Path | None = None,
) -> np.ndarray:
    """Computes the features of pairs, in parallel if there are many pairs.

    Args:
        settings: the `FeatureSettings`.
        statistics: the `FeatureStatistics` of the training rows.
        pairs: tokenized pairs.
        is_train: whether the pairs are training rows, possibly with swapped sentences,
            whose n-grams are included in the statistics.
        root: the data root.

    Returns: float64 `(N, F)`, with the columns of `FeatureSettings.columns`.

    Raises: `InputError` if a row is a single sentence, or a required package is not
        installed.

    Example:
        >>> settings = FeatureSettings(names=("lengths", "word_count"))
        >>> pairs = [(["who", "ate", "fish"], ["cats", "like", "fish", "."])]
        >>> statistics = FeatureStatistics.fit(settings, pairs, ["0"], {}.get)
        >>> compute_features(settings, statistics, pairs, is_train=True)
        array([[0.075, 0.1  , 1.   ]])
    """
    check_pairs(pairs)
    compute = functools.partial(_compute_chunk, settings, statistics, is_train, root)
    chunks = [
        pairs[start : start + PAIRS_PER_CHUNK]
        for start in range(0, len(pairs), PAIRS_PER_CHUNK)
    ]
    results: Any = map(compute, chunks)
    if len(chunks) > 1 and any(group.slow for group in settings.groups):
        results = run_in_processes(compute, [(chunk,) for chunk in chunks])
    results = list(show_progress(results, "computing features", len(chunks)))
    return np.concatenate([np.empty((0, len(settings.columns))), *results])


def _compute_chunk(settings, statistics, is_train, root, pairs):
    """Returns the features of a chunk of pairs, float64 `(pairs, F)`."""
    reader = open_wordnet(root) if settings.uses_wordnet else None
    knowledge = Knowledge(settings, statistics, _load_relations(reader))
    functions = [group.compute for group in settings.groups]
    rows = []
    for first, second in pairs:
        pair = Pair(first, second, is_train)
        row = []
        for compute in functions:
            row += compute(pair, knowledge)
        rows.append(row)
    return np.array(rows, np.float64)


@functools.cache  # the chunks of a process share the relations
def _load_relations(reader):
    return WordRelations(reader)


def load_or_compute_features(
    settings: FeatureSettings,
    statistics: FeatureStatistics,
    pairs: Pairs,
    is_train: bool,
    *,
    root: Path | None = None,
) -> np.ndarray:
    """Returns the result of `compute_features`, from the cache if possible.

    The cache key consists of the tokens, the settings, the statistics, the version of
    WordNet, `VERSION` and the versions of `PACKAGES`. A warning is logged if the
    features of the training rows were computed with another version of WordNet.

    Args:
        settings, statistics, pairs, is_train, root: as in `compute_features`.
    """
    reader = open_wordnet(root) if settings.uses_wordnet else None
    wordnet = None if reader is None else reader.get_version()
    if wordnet != statistics.wordnet:
        log.warning(
            "the features based on WordNet differ from training, which used WordNet "
            "%s, but on this machine WordNet is %s",
            statistics.wordnet or "missing",
            wordnet or "missing",
        )
    content = [asdict(settings), statistics.fingerprint(), wordnet, is_train, pairs]
    text = json.dumps([VERSION, content, *map(_read_version, PACKAGES)])
    name = f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.npz"
    path = get_cache_folder() / "pair_features" / name
    cached = read_cached(path, "features")
    if cached is not None:
        arrays, _ = cached
        return arrays["features"]
    features = compute_features(settings, statistics, pairs, is_train, root=root)
    write_cached(path, "features", {"features": features}, {})
    return features


def _read_version(package):
    """Returns the version of a package, or `None` if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None

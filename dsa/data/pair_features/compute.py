"""The features of many pairs as one array, computed, or kept from before."""

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
from dsa.data.pair_features.wordnet import WordRelations, find_wordnet
from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays
from dsa.system.folders import cache_folder
from dsa.system.terminal import show_progress
from dsa.system.worker_processes import run_in_processes

Pairs = Sequence[tuple[list[str], list[str]]]  # two lists of tokens each
PAIRS_PER_CHUNK = 500
VERSION = 1  # of the features in the cache: raise it with a change that moves a number
PACKAGES = ("nltk", "sacrebleu", "scikit-learn")  # their versions can change features
log = logging.getLogger(__name__)


def column_names(settings: FeatureSettings) -> tuple[str, ...]:
    """Returns the names of the features, in order, a tuple of texts."""
    return tuple(name for group in settings.groups for name in group.columns)


def compute_features(
    settings: FeatureSettings,
    statistics: FeatureStatistics,
    pairs: Pairs,
    is_train: bool,
    *,
    root: Path | None = None,
) -> np.ndarray:
    """Returns the features of pairs, computed by several processes if that saves time.

    Args:
        settings: the `FeatureSettings`.
        statistics: the `FeatureStatistics` of the training rows.
        pairs: tuples of two lists of tokens.
        is_train: whether these are the training rows, also with swapped sentences:
            their n-grams are in the statistics already.
        root: the data root, as given on the command line.

    Returns: float64 `(N, F)`, columns as `column_names`.

    Raises: `InputError` for rows of single sentences, or if a package that the features
        need is not installed.

    Example:
        >>> settings = FeatureSettings(names=("lengths", "word_count"))
        >>> pairs = [(["who", "ate", "fish"], ["cats", "like", "fish", "."])]
        >>> statistics = FeatureStatistics.learn(settings, pairs, ["0"], None)
        >>> compute_features(settings, statistics, pairs, is_train=True)
        array([[0.075, 0.1  , 1.   ]])
    """
    check_pairs(pairs)
    compute = functools.partial(_compute_chunk, settings, statistics, is_train, root)
    chunks = [
        pairs[start : start + PAIRS_PER_CHUNK]
        for start in range(0, len(pairs), PAIRS_PER_CHUNK)
    ]
    results = _map_chunks(compute, chunks, any(g.slow for g in settings.groups))
    results = list(show_progress(results, "computing features", len(chunks)))
    return np.concatenate([np.empty((0, len(column_names(settings)))), *results])


def _map_chunks(compute, chunks, slow) -> Any:
    if not slow or len(chunks) < 2:
        return map(compute, chunks)
    return run_in_processes(compute, [(chunk,) for chunk in chunks])


def _compute_chunk(settings, statistics, is_train, root, pairs) -> np.ndarray:
    reader = find_wordnet(root) if settings.without_wordnet else None
    knowledge = Knowledge(settings, statistics, _load_relations(reader))
    return np.array(
        [_compute_row(Pair(a, b, is_train), knowledge) for a, b in pairs], np.float64
    )


def _compute_row(pair, knowledge):
    groups = knowledge.settings.groups
    return [number for group in groups for number in group.compute(pair, knowledge)]


@functools.cache
def _load_relations(reader):
    """The words looked up so far are kept for the next chunk."""
    return WordRelations(reader)


def cached_features(
    settings: FeatureSettings,
    statistics: FeatureStatistics,
    pairs: Pairs,
    is_train: bool,
    *,
    root: Path | None = None,
) -> np.ndarray:
    """Returns `compute_features`, or what it gave before for the same content.

    Content is: the tokens, the settings, the statistics, the version of WordNet or that
    there is none, `VERSION`, and the versions of `PACKAGES`. A damaged
    file of the cache is made again.

    A line of the log says if the training rows' features knew another WordNet.
    """
    version = _find_wordnet_version(settings, root)
    if version != statistics.wordnet:
        log.warning(
            "the features were counted with WordNet %s, here it is %s: those that use "
            "it differ",
            statistics.wordnet or "missing",
            version or "missing",
        )
    content = [asdict(settings), statistics.fingerprint(), version, is_train, pairs]
    path = cache_folder() / "pair_features" / f"{_hash(content)}.npz"
    features = _read(path, (len(pairs), len(column_names(settings))))
    if features is None:
        features = compute_features(settings, statistics, pairs, is_train, root=root)
        _keep(path, features)
    return features


def _find_wordnet_version(settings, root):
    reader = find_wordnet(root) if settings.without_wordnet else None
    return None if reader is None else reader.get_version()


def _hash(content):
    text = json.dumps([VERSION, content, *map(_find_package, PACKAGES)])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _find_package(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _read(path, shape):
    """The features of a file of the cache; `None` if it is missing or damaged."""
    try:
        arrays, _ = read_arrays(path, "features")
        features = arrays["features"]
        if features.shape != shape:
            raise InputError(f"{path}: damaged features: shape {features.shape}")
        return features
    except FileNotFoundError:
        return None
    except (InputError, KeyError) as error:
        log.warning("computed again: %s", error)
        return None


def _keep(path, features):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, {"features": features}, {})
    except OSError as error:
        log.warning("features not cached in %s: %s", path.parent, error)

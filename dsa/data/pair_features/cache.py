"""Features that were computed once, kept by content."""

import hashlib
import importlib.metadata
import json
import logging
from dataclasses import asdict
from pathlib import Path

from dsa.data.pair_features.compute import column_names, compute_features
from dsa.data.pair_features.wordnet import find_wordnet
from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays
from dsa.system.folders import cache_folder

PACKAGES = ("nltk", "sacrebleu", "scikit-learn")  # their versions can change features
log = logging.getLogger(__name__)


def cached_features(settings, statistics, pairs, learned, *, root=None):
    """`compute_features`, or what it gave before for the same content.

    Content is: the tokens, the settings, the statistics, the version of WordNet or that
    there is none, the code of this package, and the versions of `PACKAGES`. A damaged
    file of the cache is made again.

    A line of the log says if the training rows' features knew another WordNet.
    """
    version = _find_version(settings, root)
    if version != statistics.wordnet:
        log.warning(
            "the features were learned with WordNet %s, here it is %s: those that use "
            "it differ",
            statistics.wordnet or "missing",
            version or "missing",
        )
    content = [asdict(settings), statistics.fingerprint(), version, learned, pairs]
    path = cache_folder() / "pair_features" / f"{_hash(content)}.npz"
    features = _read(path, (len(pairs), len(column_names(settings))))
    if features is None:
        features = compute_features(settings, statistics, pairs, learned, root=root)
        _keep(path, features)
    return features


def _find_version(settings, root):
    reader = find_wordnet(root) if settings.without_wordnet else None
    return None if reader is None else reader.get_version()


def _hash(content):
    digest = hashlib.sha256(json.dumps([content, *map(_version, PACKAGES)]).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:32]


def _version(package):
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

"""Conversion of Python values to the types of YAML."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np


def to_yaml_types(value: Any) -> Any:
    """Returns settings with the types that a YAML file would have: dictionaries, lists,
    texts and numbers instead of other mappings, tuples, paths, NumPy scalars and NumPy
    arrays. Containers are copied; other values are returned unchanged.

    Example:
        >>> to_yaml_types({"labels": (0, 1), "train": PurePath("a/train.csv")})
        {'labels': [0, 1], 'train': 'a/train.csv'}
    """
    if isinstance(value, Mapping):
        return {key: to_yaml_types(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_yaml_types(each) for each in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, PurePath):
        return str(value)
    return value

"""What a group of features computes from: a pair, and what is known beside it."""

import dataclasses
import functools
from typing import Any

from dsa.data.pair_features.nonoverlap import remove_overlap


@dataclasses.dataclass
class Pair:
    """Two tokenized sentences.

    Attributes:
        first, second: lists of tokens.
        learned: whether the statistics were learned from this pair too.
    """

    first: list
    second: list
    learned: bool

    @functools.cached_property
    def without_overlap(self):
        """Both sentences without the words that they share."""
        return remove_overlap(self.first, self.second)


@dataclasses.dataclass(frozen=True)
class Knowledge:
    """What is known beside the pair.

    Attributes:
        settings: the `FeatureSettings`.
        statistics: the `FeatureStatistics`.
        relations: the `WordRelations`.
    """

    settings: Any
    statistics: Any
    relations: Any

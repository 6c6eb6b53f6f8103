"""Random values of settings in a grid: `uniform(0,0.5)` and `log(1e-4,3e-3)`."""

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsa.config_section import parse_number
from dsa.errors import InputError

SEED = 13  # of the draws, so that a repeated command resumes its runs
DISTRIBUTION = re.compile(r"\s*(uniform|log)\(([^,()]*),([^,()]*)\)\s*")


@dataclass(frozen=True)
class Distribution:
    """A distribution of a number.

    Args:
        name: "uniform", or "log" for a uniform distribution of the logarithm.
        lowest, highest: the bounds.
    """

    name: str
    lowest: float
    highest: float

    def draw(self, random: np.random.Generator) -> float:
        """Returns a random number with three significant digits."""
        if self.name == "log":
            bounds = math.log(self.lowest), math.log(self.highest)
            return float(f"{math.exp(random.uniform(*bounds)):.3g}")
        return float(f"{random.uniform(self.lowest, self.highest):.3g}")

    def __str__(self) -> str:
        return f"{self.name}({self.lowest:g},{self.highest:g})"


def parse_distribution(text: str, key: str) -> Distribution | None:
    """Parses `uniform(LOWEST,HIGHEST)` or `log(LOWEST,HIGHEST)`; returns `None` for
    other texts.

    Args:
        text: the values of a setting in a grid.
        key: the setting, for error messages.

    Raises: `InputError` for impossible bounds.

    Example:
        >>> parse_distribution("log(1e-4,3e-3)", "training.learning_rate")
        Distribution(name='log', lowest=0.0001, highest=0.003)
    """
    match = DISTRIBUTION.fullmatch(text)
    if match is None:
        return None
    name = match[1]
    try:
        lowest, highest = (parse_number(bound.strip()) for bound in match.groups()[1:])
    except ValueError as error:
        raise InputError(f"--grid {key}: {error}") from error
    if not lowest < highest or name == "log" and lowest <= 0:
        expected = "0 < lowest < highest" if name == "log" else "lowest < highest"
        raise InputError(f"--grid {key}: {name} needs {expected}. Received: {text}")
    return Distribution(name, lowest, highest)


def combine(grid: Mapping[str, Any], count: int | None = None) -> list[dict[str, Any]]:
    """Returns combinations of settings.

    Args:
        grid: `{key: list of values, or Distribution}`.
        count: number of random combinations; `None` for all combinations, which needs
            a grid without distributions. A larger count adds combinations.

    Returns: dictionaries `{key: value}`. Without distributions they are distinct, and
        fewer than `count` if the grid has fewer.

    Raises: `InputError` for a distribution without a count.
    """
    random = np.random.default_rng(SEED)
    drawn = [key for key, values in grid.items() if isinstance(values, Distribution)]
    if drawn and count is None:
        raise InputError(f"--grid {drawn[0]}: random values need --runs-at-most")
    if not drawn:
        every = [
            dict(zip(grid, values, strict=True))
            for values in itertools.product(*grid.values())
        ]
        if count is None or count >= len(every):
            return every
        return [every[position] for position in random.permutation(len(every))[:count]]
    return [
        {
            key: values.draw(random)
            if isinstance(values, Distribution)
            else values[random.integers(len(values))]
            for key, values in grid.items()
        }
        for _ in range(count or 0)
    ]

"""Combinations of the settings of a grid, with random values.

`uniform(0,0.5)` and `log(1e-4,3e-3)` are distributions of random values.
"""

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.parsing import parse_number

SEED = 13  # fixed, so that a repeated command resumes its runs
DISTRIBUTION = re.compile(r"\s*(uniform|log)\(([^,()]*),([^,()]*)\)\s*")


@dataclass(frozen=True)
class Distribution:
    """Uniform or log-uniform distribution of a setting.

    Args:
        name: "uniform", or "log" for a uniform distribution of the logarithm.
        lowest, highest: bounds of the values.
    """

    name: str
    lowest: float
    highest: float

    def draw(self, random: np.random.Generator) -> float:
        """Returns a random number within the bounds.

        It has three significant digits, and more if the bounds of a uniform
        distribution are close to each other.
        """
        digits = 3
        if self.name == "log":
            logarithm = random.uniform(math.log(self.lowest), math.log(self.highest))
            value = math.exp(logarithm)
        else:
            value = random.uniform(self.lowest, self.highest)
            largest = max(abs(self.lowest), abs(self.highest))
            digits += math.ceil(math.log10(largest / (self.highest - self.lowest)))
        rounded = float(f"{value:.{digits}g}")
        return min(max(rounded, self.lowest), self.highest)

    def __str__(self) -> str:
        return f"{self.name}({self.lowest:g},{self.highest:g})"


def parse_distribution(text: str, key: str) -> Distribution | None:
    """Parses `uniform(LOWEST,HIGHEST)` or `log(LOWEST,HIGHEST)`.

    Args:
        text: values of a setting in a grid.
        key: key of the setting, for error messages.

    Returns: the `Distribution`, or `None` if the text has another form.

    Raises: `InputError` if a bound is not a number, `LOWEST` is not less than
        `HIGHEST`, or `LOWEST` of `log` is not positive.

    Example:
        >>> parse_distribution("log(1e-4,3e-3)", "training.learning_rate")
        Distribution(name='log', lowest=0.0001, highest=0.003)
    """
    match = DISTRIBUTION.fullmatch(text)
    if match is None:
        return None
    name = match[1]
    try:
        lowest, highest = parse_number(match[2].strip()), parse_number(match[3].strip())
    except ValueError as error:
        raise InputError(f"--grid {key}: {error}") from error
    expected = "0 < lowest < highest" if name == "log" else "lowest < highest"
    is_positive = lowest > 0 or name != "log"
    if not (lowest < highest and is_positive):
        raise InputError(f"--grid {key}: {name} requires {expected}. Received: {text}")
    return Distribution(name, lowest, highest)


def combine_values(
    grid: Mapping[str, Any], count: int | None = None
) -> list[dict[str, Any]]:
    """Returns all combinations of the settings of a grid, or random combinations.

    Args:
        grid: `{key: list of values, or Distribution}`.
        count: number of random combinations. A larger count adds combinations to those
            of a smaller count. `None` returns all combinations of a grid without
            distributions.

    Returns: dictionaries `{key: value}`. Without distributions, the combinations are
        distinct, and their number is limited to the size of the grid.

    Raises: `InputError` if the grid has a distribution and `count` is `None`.
    """
    random = np.random.default_rng(SEED)
    random_keys = [
        key for key, values in grid.items() if isinstance(values, Distribution)
    ]
    if random_keys:
        if count is None:
            raise InputError(
                f"--grid {random_keys[0]}: random values require --runs-at-most"
            )
        return [_draw_combination(grid, random) for _ in range(count)]
    sizes = [len(values) for values in grid.values()]
    if count is None or count >= math.prod(sizes):
        combinations = itertools.product(*grid.values())
        return [dict(zip(grid, values, strict=True)) for values in combinations]
    chosen: dict[int, None] = {}  # ordered set: a larger count begins with the same
    while len(chosen) < count:
        chosen[int(random.integers(math.prod(sizes)))] = None
    return [
        {key: grid[key][index] for key, index in zip(grid, indices, strict=True)}
        for indices in zip(*np.unravel_index([*chosen], sizes), strict=True)
    ]


def _draw_combination(
    grid: Mapping[str, Any], random: np.random.Generator
) -> dict[str, Any]:
    """Returns a combination with a random value for each setting."""
    combination = {}
    for key, values in grid.items():
        if isinstance(values, Distribution):
            combination[key] = values.draw(random)
        else:
            combination[key] = values[random.integers(len(values))]
    return combination

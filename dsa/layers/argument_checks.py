"""Validation of layer arguments."""

from collections.abc import Collection
from typing import Any


def check_choice(argument: str, value: Any, choices: Collection[Any]) -> None:
    """Raises `ValueError` if the value of an argument is not in `choices`."""
    if value not in choices:
        raise ValueError(
            f"`{argument}` must be one of {tuple(choices)}. "
            f"Received: {argument}={value!r}"
        )


def check_units_per_head(units: int, num_heads: int) -> None:
    """Raises `ValueError` if `units` is not divisible by the number of heads."""
    if units % num_heads:
        raise ValueError(
            "`units` must be divisible by `heads`. "
            f"Received: units={units}, heads={num_heads}"
        )

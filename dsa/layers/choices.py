"""Checks of layer arguments with a fixed set of values."""

from collections.abc import Collection
from typing import Any


def check_choice(argument: str, value: Any, choices: Collection[Any]) -> None:
    """Raises `ValueError` if the value of an argument is not one of its choices."""
    if value not in choices:
        raise ValueError(
            f"`{argument}` must be one of {tuple(choices)}. Received: {value!r}"
        )

"""Selection of the test cases that CI runs on JAX."""

from collections.abc import Iterable
from typing import Any

import pytest


def first_on_jax(cases: Iterable[Any]) -> list[Any]:
    """Returns cases for `parametrize`. CI runs only the first of them on JAX.

    Args:
        cases: values of one parameter, or tuples with the values of several.
    """
    first, *others = cases
    mark = pytest.mark.nightly_on_jax
    marked = [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark)
        for case in others
    ]
    return [first, *marked]

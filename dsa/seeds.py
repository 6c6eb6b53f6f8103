"""Derives the seeds of layers and other parts of a run from the seed of the run."""

import zlib
from typing import overload

import numpy as np


@overload
def derived_seed(seed: int, *names: str) -> int: ...


@overload
def derived_seed(seed: int | None, *names: str) -> int | None: ...


def derived_seed(seed: int | None, *names: str) -> int | None:
    """Derives the seed of a named part of a run, such as a layer.

    The seed depends on the names only, so an additional layer does not change the
    random numbers of other layers.

    Args:
        seed: seed of the run, or a seed derived from it; `None` for no seed.
        names: names that identify the part.

    Returns: an integer in [0, 2**31); `None` if `seed` is `None`.

    Example:
        >>> derived_seed(13, "encoder", "dropout")
        2014246341
    """
    if seed is None:
        return None
    name_hash = zlib.crc32("/".join(names).encode())
    state = np.random.SeedSequence([seed, name_hash]).generate_state(1)  # uint32
    return int(state[0] >> 1)

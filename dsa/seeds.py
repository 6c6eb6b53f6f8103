"""Seeds of the parts of a run, derived from the seed of the config."""

import zlib
from typing import overload

import numpy as np


@overload
def derived_seed(seed: int, *names: str) -> int: ...


@overload
def derived_seed(seed: int | None, *names: str) -> int | None: ...


def derived_seed(seed: int | None, *names: str) -> int | None:
    """Returns the seed of a named part, such as `derived_seed(13, "encoder",
    "dropout")`.

    The seed does not depend on the order in which parts are created, so that an
    additional layer does not change the random numbers of other layers.

    Args:
        seed: seed of the config; `None` for no seed.
        names: names that identify the part.

    Returns: an integer in [0, 2**31); `None` if `seed` is `None`.
    """
    if seed is None:
        return None
    part = zlib.crc32("/".join(names).encode())
    return int(np.random.SeedSequence([seed, part]).generate_state(1)[0] >> 1)

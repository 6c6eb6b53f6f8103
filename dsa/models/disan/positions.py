"""Sinusoidal position encodings of the multi-head baseline of DiSAN."""

from typing import Any

import numpy as np
from keras import ops

from dsa.layers.masks import Tensor


def sinusoidal_positions(length: Any, units: int, dtype: str = "float32") -> Tensor:
    """Returns the position encoding with all sines before all cosines.

        P[i, k] = sin(i / 10000^(k / (units/2 - 1))),  k < units/2
        P[i, units/2 + k] = cos(i / 10000^(k / (units/2 - 1)))

    Args:
        length: number of tokens.
        units: even number of features.
        dtype: data type of the tensor.

    Returns: tensor P `(length, units)`.

    Reference: Vaswani et al. 2017, section 3.5, in the order of their released code.

    Example:
        >>> tuple(sinusoidal_positions(5, 8).shape)
        (5, 8)
    """
    half = units // 2
    scale = np.log(10_000) / max(half - 1, 1)
    rates = np.exp(-scale * np.arange(half))
    angles = ops.arange(length, dtype=dtype)[:, None] * ops.cast(rates, dtype)
    return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=-1)


def alternating_positions(length: Any, units: int, dtype: str = "float32") -> Tensor:
    """Returns the position encoding with alternating sines and cosines.

        P[i, k] = sin(i / 10000^(2 k / units)),  k even
        P[i, k + 1] = cos(i / 10000^(2 k / units))

    Args, Returns: see `sinusoidal_positions`.

    Reference: the released code of BiBloSA (Shen et al.), written after DiSAN.

    Differs from Vaswani et al. 2017, whose exponent is k / units.

    Example:
        >>> tuple(alternating_positions(5, 8).shape)
        (5, 8)
    """
    rates = 10_000.0 ** (-2 * np.arange(0, units, 2) / units)
    angles = ops.arange(length, dtype=dtype)[:, None] * ops.cast(rates, dtype)
    pairs = ops.stack([ops.sin(angles), ops.cos(angles)], axis=-1)
    return ops.reshape(pairs, (-1, units))

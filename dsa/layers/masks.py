"""Padding, directional and distance masks, and the base class of masked layers."""

from typing import Any

import keras
from keras import ops

from dsa.layers.argument_checks import check_choice

Tensor = Any  # a tensor of any backend, or a symbolic `keras.KerasTensor`
Mask = Tensor | None  # bool, True = real token; `None` if all tokens are real
DIRECTIONS = ("forward", "backward")
MASK_DIRECTIONS = (*DIRECTIONS, "others")


def tensor_shape(x: Tensor) -> Any:
    """Returns `ops.shape(x)`: integers, or scalar tensors for dynamic sizes.

    The return type is `Any`, because the annotation of `ops.shape` is incorrect.
    """
    return ops.shape(x)


def token_mask(ids: Tensor) -> Tensor:
    """Returns the mask of token ids `(B, L)`: True at real tokens. Id 0 is padding.

    Example:
        >>> ops.convert_to_numpy(token_mask(ops.array([[7, 4, 0]]))).tolist()
        [[True, True, False]]
    """
    return ops.not_equal(ids, 0)


def clear_padding(x: Tensor, mask: Mask) -> Tensor:
    """Replaces the values of `x`, a tensor `(B, L, ...)`, by 0 at padding.

    An attention weight of 0 does not remove NaN or infinity from a sum (0 * nan is
    nan), so layers call this function before they sum over tokens.
    """
    if mask is None:
        return x
    # (B, L, 1, ...)
    mask = ops.expand_dims(mask, axis=tuple(range(2, len(x.shape))))
    return ops.where(mask, x, 0)


def directional_mask(length: Any, direction: str) -> Tensor:
    """Returns M_dir as a bool tensor `(L, L)`: True if query `i` may attend to key `j`.

    The first row of the forward mask and the last row of the backward mask are False.

    Args:
        length: number L of tokens.
        direction: "forward" to attend to preceding tokens (`j < i`), "backward" to
            attend to following tokens (`j > i`), or "others" to attend to all tokens
            except the query itself (`j != i`).

    Raises: `ValueError` if `direction` is unknown.

    Reference: Im & Cho 2017, section 4.2.2, figure 3. The paper writes M_dir with 0 for
    True and minus infinity for False.

    Example:
        >>> ops.convert_to_numpy(directional_mask(3, "forward")).tolist()
        [[False, False, False], [True, False, False], [True, True, False]]
    """
    check_choice("direction", direction, MASK_DIRECTIONS)
    positions = ops.arange(length, dtype="int32")
    query = ops.expand_dims(positions, 1)
    key = ops.expand_dims(positions, 0)
    if direction == "others":
        return ops.not_equal(key, query)
    if direction == "forward":
        return ops.less(key, query)
    return ops.greater(key, query)


def distance_mask(length: Any, dtype: str = "float32") -> Tensor:
    """Returns M_dis, a tensor `(L, L)` of negative distances: `M_ij = -|i - j|`.

    Args:
        length: number L of tokens.
        dtype: data type of the tensor.

    Reference: Im & Cho 2017, section 4.2.2, figure 4.

    Example:
        >>> (0 + ops.convert_to_numpy(distance_mask(3))).tolist()
        [[0.0, -1.0, -2.0], [-1.0, 0.0, -1.0], [-2.0, -1.0, 0.0]]
    """
    positions = ops.arange(length, dtype=dtype)
    return -ops.abs(ops.expand_dims(positions, 1) - ops.expand_dims(positions, 0))


class MaskedLayer(keras.layers.Layer):
    """Base class of layers that take a mask and do not propagate it.

    Without this class, Keras would warn about a lost mask, or attach a mask `(B, L)` to
    a sentence vector `(B, S)`. Losses and metrics would then apply this mask.

    Call arguments of the subclasses:
        mask: bool tensor `(B, L)`, True = real token, with padding on the right;
            `None` if all tokens are real.
        return_attention: whether to return a tuple of the output and a list of
            `TokenMap`s. The list is empty for a layer without attention. Not supported
            for symbolic inputs (`keras.Input`).
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, inputs, previous_mask):
        return None

    def compute_output_spec(
        self, *args: Any, return_attention: bool = False, **kwargs: Any
    ):
        if return_attention:
            raise ValueError(
                "`return_attention=True` requires tensors. Received: a symbolic input "
                "(`keras.Input`)"
            )
        return super().compute_output_spec(*args, **kwargs)

"""Masks: which tokens are real, which may be attended to, how far away they are."""

from typing import Any

from keras import ops

from dsa.layers.composed_layer import ComposedLayer, check_choice

Tensor = Any  # of any backend, or a symbolic `keras.KerasTensor`
Mask = Tensor | None  # bool, True = real token; `None` if all are
DIRECTIONS = ("forward", "backward")
LOOKS_AT = (*DIRECTIONS, "others")


def tensor_shape(x: Tensor) -> Any:
    """`ops.shape(x)`: sizes, or tensors where they are known only when it runs. Keras
    itself annotates it wrongly."""
    return ops.shape(x)


def token_mask(ids: Tensor) -> Tensor:
    """True at real tokens: `(B, L)` token ids to `(B, L)` bool. Id 0 is padding.

    Example:
        >>> ops.convert_to_numpy(token_mask(ops.array([[7, 4, 0]]))).tolist()
        [[True, True, False]]
    """
    return ops.not_equal(ids, 0)


def clear_padding(x: Tensor, mask: Mask) -> Tensor:
    """`x`, `(B, L, ...)`, with 0 at padding. A weight of 0 is not enough: 0 * nan is
    nan, and what padding holds must not matter."""
    if mask is None:
        return x
    visible = mask[(..., *(None,) * (len(x.shape) - 2))]  # (B, L, 1, ...)
    return ops.where(visible, x, 0)


def directional_mask(length: Any, direction: str) -> Tensor:
    """True where query `i` may attend to key `j`: `(L, L)` bool, never the diagonal.

    "forward" lets a token see the tokens before it (`j < i`), "backward" those after
    it (`j > i`), so the first row of the forward mask and the last of the backward
    mask are all False. "others" has no direction: all tokens but itself (`j != i`).

    Raises: `ValueError` for another direction.

    Reference: Im & Cho 2017, section 4.2.2, M_dir, figure 3 (True here is 0 there,
    False is minus infinity).

    Example:
        >>> ops.convert_to_numpy(directional_mask(3, "forward")).tolist()
        [[False, False, False], [True, False, False], [True, True, False]]
    """
    check_choice("direction", direction, LOOKS_AT)
    positions = ops.arange(length, dtype="int32")
    query, key = ops.expand_dims(positions, 1), ops.expand_dims(positions, 0)
    if direction == "others":
        return ops.not_equal(key, query)
    return ops.less(key, query) if direction == "forward" else ops.greater(key, query)


def distance_mask(length: Any, dtype: str = "float32") -> Tensor:
    """`M_ij = -|i - j|`, in tokens: `(L, L)`, 0 on the diagonal, never positive.

    Reference: Im & Cho 2017, section 4.2.2, M_dis, figure 4.

    Example:
        >>> (0 + ops.convert_to_numpy(distance_mask(3))).tolist()
        [[0.0, -1.0, -2.0], [-1.0, 0.0, -1.0], [-2.0, -1.0, 0.0]]
    """
    positions = ops.arange(length, dtype=dtype)
    return -ops.abs(ops.expand_dims(positions, 1) - ops.expand_dims(positions, 0))


class MaskedLayer(ComposedLayer):
    """A layer that takes `mask` as an argument and puts none on its output.

    Keras would otherwise warn that the mask is lost, or put a mask `(B, L)` on a vector
    `(B, S)`, where losses and metrics read it.

    Call arguments of all such layers, as far as they have them:
        mask: bool tensor `(B, L)`, True = real token, padding on the right; `None` if
            all are real.
        return_attention: whether to return what the layer looked at as well: a pair of
            the output and a list of `TokenMap`s, empty where it looks at nothing.
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, inputs, previous_mask):
        return None

"""Splits features into attention heads and joins attention heads."""

from keras import ops

from dsa.layers.masks import Tensor, tensor_shape


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Reshapes `(B, L, D)` to `(B, L, H, K)`, K = D / H."""
    return ops.reshape(x, (-1, tensor_shape(x)[1], heads, x.shape[-1] // heads))


def join_heads(x: Tensor) -> Tensor:
    """Reshapes `(B, L, H, K)` to `(B, L, D)`, D = H K."""
    return ops.reshape(x, (-1, tensor_shape(x)[1], x.shape[-2] * x.shape[-1]))

"""Splits features into attention heads and joins attention heads.

d = D / heads is the number of features per head.
"""

from keras import ops

from dsa.layers.masks import Tensor, tensor_shape


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Reshapes `(B, L, D)` to `(B, L, num_heads, d)`."""
    head_dim = x.shape[-1] // num_heads
    return ops.reshape(x, (-1, tensor_shape(x)[1], num_heads, head_dim))


def join_heads(x: Tensor) -> Tensor:
    """Reshapes `(B, L, num_heads, d)` to `(B, L, D)`."""
    num_heads, head_dim = x.shape[-2:]
    return ops.reshape(x, (-1, tensor_shape(x)[1], num_heads * head_dim))

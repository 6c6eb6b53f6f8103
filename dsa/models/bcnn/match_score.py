"""How near two tokens, or two columns of a convolution, are to each other.

B pairs, P and Q positions of the two sentences, D features.
"""

from keras import ops

SMALL = (
    1e-10  # keeps square roots and divisions away from 0: their gradients stay finite
)


def match_scores(first, second, first_mask, second_mask):
    """`A_ij = 1 / (1 + |x_i - y_j|)`: 1 for equal features, near 0 for distant ones.

    Args:
        first, second: tensors `(B, P, D)` and `(B, Q, D)`.
        first_mask, second_mask: `(B, P)` and `(B, Q)` bool, True for real positions.

    Returns: float32 `(B, P, Q)`, 0 where either side is padding.

    Reference: Yin et al. 2016, section 4.1, the match score below equation 1.
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    # (B, P, Q). As |x|^2 + |y|^2 - 2 x y the numbers would take less memory, but equal
    # vectors would come out different: by 0.001 with float32, by more on a GPU.
    squares = ops.sum((first[:, :, None, :] - second[:, None, :, :]) ** 2, axis=-1)
    scores = 1 / (1 + ops.sqrt(squares + SMALL))
    both = first_mask[:, :, None] & second_mask[:, None, :]
    return ops.where(both, scores, 0.0)


def cosine(first, second):
    """`x y / (|x| |y|)`: vectors `(B, D)` to `(B,)`; 0 for a vector of zeros."""
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    lengths = ops.sqrt(
        (ops.sum(first**2, axis=-1) + SMALL) * (ops.sum(second**2, axis=-1) + SMALL)
    )
    return ops.sum(first * second, axis=-1) / lengths


def euclid(first, second):
    """`1 / (1 + |x - y|)`: vectors `(B, D)` to `(B,)`.

    Reference: Yin et al. 2016, section 5.3, "Euclid".
    """
    first, second = ops.cast(first, "float32"), ops.cast(second, "float32")
    squares = ops.sum((first - second) ** 2, axis=-1)
    return 1 / (1 + ops.sqrt(squares + SMALL))


SIMILARITIES = {"cosine": cosine, "euclid": euclid}

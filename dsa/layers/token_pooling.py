"""DSA's pooling of tokens to a sentence vector, in one or two ways."""

from keras import ops

from dsa.layers.maps import call_layer
from dsa.layers.pooling import make_max_pooling_map, max_pool


def pool_tokens(tokens, mask, source2token=None, maximum=True, maps=None):
    """`[source2token(U); max_i U_i]`, or one of the two.

    Args:
        tokens: U, tensor `(B, L, D)`.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        source2token: a `Source2Token`; `None` to leave it out.
        maximum: whether the maximum is taken.
        maps: see `call_layer`.

    Returns: tensor `(B, D)`, or `(B, 2 D)` with both.

    Reference: Im & Cho 2017, section 4.2.5.
    """
    pooled = []
    if source2token is not None:
        # (B, D): s
        pooled.append(call_layer(source2token, maps, tokens, mask=mask))
    if maximum:
        # (B, D): m
        pooled.append(max_pool(tokens, mask))
        if maps is not None:
            maps.append(make_max_pooling_map(tokens, mask))
    return ops.concatenate(pooled, axis=-1)

"""Several attentions over the tokens, each with its weighted sum."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import MaskedLayer


@keras.saving.register_keras_serializable(package="dsa")
class StructuredAttention(MaskedLayer):
    """Tokens to r weighted sums, joined to one vector.

        A = softmax_l(W_s2 tanh(W_s1 H^T));  M = A H          (r, L) and (r, D)

    Padding has weight 0 in every row of A.

    Args:
        attention_units: d_a, features of the hidden layer.
        hops: r, number of weighted sums.

    Call arguments:
        x: H, tensor `(B, L, D)`, such as a Bi-LSTM's states.
        mask: bool tensor `(B, L)`, True = real token; `None` if all are.
        return_attention: whether to return the weights as well.

    Returns: tensor `(B, r D)`, the rows of M one after the other; with
        `return_attention` a pair of it and a list of one `TokenMap`,
        `structured_attention` `(B, L, r)`.

    Reference: Lin et al. 2017, section 2.1.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(StructuredAttention(attention_units=4, hops=3)(x).shape)
        (2, 24)
    """

    def __init__(self, attention_units=150, hops=30, **kwargs):
        super().__init__(**kwargs)
        self.attention_units = attention_units
        self.hops = hops

    def build(self, input_shape):
        self.hidden = keras.layers.Dense(
            self.attention_units,
            "tanh",
            use_bias=False,
            dtype=self.dtype_policy,
            name="hidden",  # W_s1
        )
        self.hidden.build(input_shape)
        self.scores = keras.layers.Dense(
            self.hops,
            use_bias=False,
            dtype=self.dtype_policy,
            name="scores",  # W_s2
        )
        self.scores.build((*input_shape[:-1], self.attention_units))
        self.softmax = keras.layers.Softmax(axis=1, dtype="float32")

    def call(self, x, mask=None, training=None, return_attention=False):
        visible = None if mask is None else mask[:, :, None]
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            x = ops.where(visible, x, 0)
        # (B, L, r): A, transposed
        weights = self.softmax(self.scores(self.hidden(x)), mask=visible)
        # (B, r, D): M
        rows = ops.matmul(ops.transpose(ops.cast(weights, x.dtype), (0, 2, 1)), x)
        # (B, r D)
        vector = ops.reshape(rows, (-1, self.hops * x.shape[-1]))
        if not return_attention:
            return vector
        attention = TokenMap(
            "structured_attention", MapKind.TOKEN_BY_FEATURE, weights, label="attention"
        )
        return vector, [attention]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.hops * input_shape[-1])


def measure_overlap(weights):
    """`||A A^T - I||_F^2` of each sentence: weights `(B, L, r)` to `(B,)`.

    Example:
        >>> apart = ops.array([[[1.0, 0.0], [0.0, 1.0]]])  # each hop has its token
        >>> ops.convert_to_numpy(measure_overlap(apart)).tolist()
        [0.0]
    """
    products = ops.matmul(ops.transpose(weights, (0, 2, 1)), weights)  # (B, r, r)
    identity = ops.eye(weights.shape[-1], dtype=weights.dtype)
    return ops.sum(ops.square(products - identity), axis=(1, 2))


def measure_token_overlap(weights, mask):
    """The mean square of an entry of `A^T A - I`, over pairs of real tokens, as the
    authors' code has it: weights `(B, L, r)` and mask `(B, L)` to `(B,)`.

    Example:
        >>> apart = ops.array([[[1.0, 0.0], [0.0, 1.0]]])  # each token has its hop
        >>> real = ops.array([[True, True]])
        >>> ops.convert_to_numpy(measure_token_overlap(apart, real)).tolist()
        [0.0]
    """
    products = ops.matmul(weights, ops.transpose(weights, (0, 2, 1)))  # (B, L, L)
    identity = ops.eye(ops.shape(weights)[1], dtype=weights.dtype)
    real = ops.cast(mask, weights.dtype)  # (B, L)
    pairs = real[:, :, None] * real[:, None, :]  # (B, L, L)
    squares = ops.square(products - identity) * pairs
    return ops.sum(squares, axis=(1, 2)) / ops.sum(pairs, axis=(1, 2))

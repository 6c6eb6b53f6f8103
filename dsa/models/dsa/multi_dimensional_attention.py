"""Multi-dimensional self-attention with a directional and a distance mask."""

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.masks import DIRECTIONS, MaskedLayer, directional_mask, distance_mask
from dsa.layers.normalized_dense import NormalizedDense
from dsa.seeds import derived_seed

SCALE = 5.0  # c, DiSAN's


@keras.saving.register_keras_serializable(package="dsa")
class MultiDimensionalSelfAttention(MaskedLayer):
    """As `DistanceMaskedSelfAttention`, but weights are for features, not for heads.

        Q, K, V = LN(x W^Q), LN(x W^K), LN(x W^V)
        A_ij = softmax_j(c tanh((Q_i + K_j + b) / c) + M_dir_ij + alpha M_dis_ij)
        H_i = Dropout(LN((sum_j A_ij * V_j) W^O))

    A_ij is a vector, and `*` works feature by feature. It needs several tensors
    `(B, L, L, D)`: that much memory.

    Args:
        units, direction, alpha, dropout, layer_norm, seed: as
            `DistanceMaskedSelfAttention`.

    Call arguments: as `DistanceMaskedSelfAttention`.

    Returns: tensor `(B, L, units)`; with `return_attention` a pair of it and a list of
        one `TokenMap`, `feature_attention` `(B, L, L, units)`: A, float32.

    Raises: `ValueError` for a negative `alpha` or an unknown direction.

    Reference: Im & Cho 2017, the footnote to section 4.2.2, which gives no equation;
    Shen et al. 2018, equation 15, with DSA's projections and masks.

    Example:
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> layer = MultiDimensionalSelfAttention(6, direction="forward")
        >>> context, (attention,) = layer(x, return_attention=True)
        >>> tuple(context.shape), tuple(attention.values.shape)
        ((2, 5, 6), (2, 5, 5, 6))
    """

    def __init__(
        self,
        units,
        direction,
        alpha=1.5,
        dropout=0.0,
        layer_norm=True,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if alpha < 0:
            raise ValueError(f"`alpha` must not be negative. Received: alpha={alpha}")
        if direction not in DIRECTIONS:
            raise ValueError(
                f"`direction` must be one of {DIRECTIONS}. Received: {direction!r}"
            )
        self.units = units
        self.direction = direction
        self.alpha = alpha
        self.dropout = dropout
        self.layer_norm = layer_norm
        self.seed = seed

    def build(self, input_shape):
        self.query, self.key, self.value, self.output_projection = (
            NormalizedDense(
                self.units,
                use_bias=False,
                layer_norm=self.layer_norm,
                dtype=self.dtype_policy,
                name=name,
            )
            for name in ("query", "key", "value", "output_projection")
        )
        for layer in (self.query, self.key, self.value):
            layer.build(input_shape)
        self.output_projection.build((*input_shape[:-1], self.units))
        self.bias = self.add_weight(
            shape=(self.units,), initializer="zeros", name="bias"
        )
        self.softmax = keras.layers.Softmax(axis=2, dtype="float32")
        self.drop = keras.layers.Dropout(
            self.dropout,
            seed=derived_seed(self.seed, "context"),
            dtype=self.dtype_policy,
        )

    def call(self, x, mask=None, training=None, return_attention=False):
        length = ops.shape(x)[1]
        # each (B, L, D)
        query, key, value = self.query(x), self.key(x), self.value(x)
        if mask is not None:  # 0 * nan is nan: what padding holds must not matter
            key, value = (ops.where(mask[..., None], y, 0) for y in (key, value))
        # (B, L, L, D), in float32 up to the softmax: -alpha |i - j| is large
        logits = ops.cast(query[:, :, None] + key[:, None] + self.bias, "float32")
        logits = SCALE * ops.tanh(logits / SCALE)
        if self.alpha:
            logits = logits + self.alpha * distance_mask(length)[..., None]
        # (1, L, L), with padding (B, L, L): True where a token may look
        visible = directional_mask(length, self.direction)[None]
        if mask is not None:
            visible = ops.logical_and(visible, mask[:, None, :])
        # (B, L, L, D)
        attention = self.softmax(
            logits, mask=ops.broadcast_to(visible[..., None], ops.shape(logits))
        )
        # (B, L, D)
        context = ops.sum(ops.cast(attention, value.dtype) * value[:, None], axis=2)
        output = self.drop(self.output_projection(context), training=training)
        if not return_attention:
            return output
        kind = MapKind.TOKEN_OVER_TOKEN_BY_FEATURE
        new_map = TokenMap(
            "feature_attention", kind, attention, self.direction, label="attention"
        )
        return output, [new_map]

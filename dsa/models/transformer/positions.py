"""Where a token is: positions in a sentence, and distances between two tokens."""

import keras
from keras import ops


def sinusoidal_positions(length, units):
    """A vector for each position, computed: `(L, D)`.

        PE_(p, 2i) = sin(p / 10000^(2i / D)),  PE_(p, 2i+1) = cos(p / 10000^(2i / D))

    Reference: Vaswani et al. 2017, section 3.5.

    Example:
        >>> tuple(sinusoidal_positions(5, 8).shape)
        (5, 8)
    """
    features = ops.arange(units, dtype="int32")
    even = ops.cast(features - features % 2, "float32")  # 2i
    rates = ops.exp(-even * (9.210340371976184 / units))  # log(10000)
    angles = ops.arange(length, dtype="float32")[:, None] * rates
    return ops.where(features % 2 == 0, ops.sin(angles), ops.cos(angles))


@keras.saving.register_keras_serializable(package="dsa")
class AddPositions(keras.layers.Layer):
    """`x_i + p_i`, with a vector p for each position i.

    Args:
        kind: "sinusoidal", see `sinusoidal_positions`, or "learned".
        max_position: positions with a vector of their own, where it is learned; later
            tokens have the last one's.

    Call arguments:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, L, D)`.

    Reference: Vaswani et al. 2017, section 3.5.

    Example:
        >>> tuple(AddPositions("learned", 4)(ops.ones((2, 5, 8))).shape)
        (2, 5, 8)
    """

    def __init__(self, kind, max_position=512, **kwargs):
        super().__init__(**kwargs)
        self.kind = kind
        self.max_position = max_position

    def build(self, input_shape):
        self.vectors = None
        if self.kind == "learned":
            self.vectors = self.add_weight(
                shape=(self.max_position, input_shape[-1]),
                initializer=keras.initializers.RandomNormal(stddev=0.02),
                name="vectors",
            )

    def call(self, x):
        length, units = ops.shape(x)[1], x.shape[-1]
        if self.vectors is None:
            return x + ops.cast(sinusoidal_positions(length, units), x.dtype)
        last = self.max_position - 1
        return x + ops.take(
            self.vectors, ops.minimum(ops.arange(length, dtype="int32"), last), axis=0
        )

    def compute_output_shape(self, input_shape):
        return input_shape


def clipped_distances(length, largest):
    """`clip(j - i, -k, k) + k`, a number from 0 for each distance: `(L, L)`.

    Reference: Shaw et al. 2018, section 3.2.

    Example:
        >>> ops.convert_to_numpy(clipped_distances(3, largest=1)).tolist()
        [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
    """
    positions = ops.arange(length, dtype="int32")
    distances = positions[None, :] - positions[:, None]
    return ops.clip(distances, -largest, largest) + largest

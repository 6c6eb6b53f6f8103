"""Initial weights as in the authors' code (`yinwenpeng/Answer_Selection`)."""

import keras


@keras.saving.register_keras_serializable(package="dsa")
class ConvolutionUniform(keras.initializers.RandomUniform):
    """Uniform in `[-b, b]`, `b = sqrt(6 / ((C + U) D w))`, for a convolution over `w`
    positions, C channels of D features, and U filters.

    The authors count a filter's whole input for every filter, so `b` is 0.0099 for one
    channel, D 300, w 4 and U 50. Glorot's rule gives 0.065.

    Args:
        channels: C.
        seed: of the draw.

    Reference: not in the paper; the authors' code.

    Example:
        >>> import numpy as np
        >>> kernel = ConvolutionUniform()((4, 300, 50))
        >>> round(float(np.abs(keras.ops.convert_to_numpy(kernel)).max()), 4)
        0.0099
    """

    def __init__(self, channels=1, seed=None):
        super().__init__(seed=seed)
        self.channels = channels

    def __call__(self, shape, dtype=None):
        width, features, filters = shape
        features_of_a_channel = features / self.channels
        self.maxval = (
            6 / ((self.channels + filters) * features_of_a_channel * width)
        ) ** 0.5
        self.minval = -self.maxval
        return super().__call__(shape, dtype)

    def get_config(self):
        return {"channels": self.channels, "seed": super().get_config()["seed"]}

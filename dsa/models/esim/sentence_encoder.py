"""aESIM's Bi-aLSTM as an encoder of one sentence. No Keras."""

from typing import Literal

from dsa.config_section import Units, count_bilstm_weights, setting
from dsa.models.classifiers.config import ClassifierConfig
from dsa.models.model_config import ModelConfig


class BiALSTMConfig(ModelConfig):
    """`model` for `name: bialstm`: the mean of a Bi-aLSTM's states (Li et al. 2019,
    section 2.2). The paper names no pooling."""

    name: Literal["bialstm"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    share_attention: bool = setting(
        False, "One word attention for both directions; the paper leaves it open."
    )
    rescale: bool = setting(
        False,
        "Multiplies the weighted states by the sentence's length; the paper does not.",
    )
    classifier: ClassifierConfig = setting(
        ClassifierConfig(), "Settings of the classifier over the encoder."
    )

    def count_weights(self, units):
        return count_bilstm_weights(units, self.units)

    def count_vector_units(self, units):
        return 2 * self.units


def build_encoder(config, parts):
    """The `PooledEncoder` of a `BiALSTMConfig`."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MeanPooling
    from dsa.models.esim.attentive_bilstm import BiALSTM

    context = BiALSTM(
        config.units,
        share_attention=config.share_attention,
        rescale=config.rescale,
        dtype=parts.dtype,
        name="bialstm",
    )
    pooling = MeanPooling(dtype=parts.dtype, name="mean_pooling")
    return PooledEncoder(pooling, context, dtype=parts.dtype, name="encoder")

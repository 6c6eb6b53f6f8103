"""Settings of HBMP (Talman et al. 2019, arXiv:1808.08762). No Keras.

The defaults are the published settings.
"""

from typing import Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed


class HBMPConfig(ModelConfig):
    """Settings of `hbmp`: Bi-LSTMs that all read the words, each initialized with
    the final state of the previous one; the sentence vector joins their maxima."""

    name: Literal["hbmp"]
    units: Units = setting(600, "Units of each LSTM in each direction.")
    layers: Annotated[Count, Field(le=20)] = setting(3, "Number of Bi-LSTMs.")
    dropout: Share = setting(0.0, "Dropout rate of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """Returns the `HBMPEncoder` of an `HBMPConfig`."""
    from dsa.models.hbmp.encoder import HBMPEncoder

    return HBMPEncoder(
        config.units,
        layers=config.layers,
        dropout=config.dropout,
        seed=derived_seed(parts.seed, "encoder"),
        dtype=parts.dtype,
        name="encoder",
    )

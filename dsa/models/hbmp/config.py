"""Settings of HBMP (Talman et al. 2019, arXiv:1808.08762), published defaults. No
Keras."""

from typing import Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig


class HBMPConfig(ModelConfig):
    """`model` for `name: hbmp`: Bi-LSTMs that all read the words, each beginning with
    the state that the one before it ends with; the maxima of all of them, joined."""

    name: Literal["hbmp"]
    units: Units = setting(600, "Units of each LSTM in each direction.")
    layers: Annotated[Count, Field(le=20)] = setting(3, "Number of Bi-LSTMs.")
    dropout: Share = setting(0.0, "Dropped share of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """The `HBMPEncoder` of an `HBMPConfig`."""
    from dsa.models.hbmp.encoder import HBMPEncoder

    return HBMPEncoder(**parts.options(config, "encoder"))

"""Settings of HBMP (Talman et al. 2019, arXiv:1808.08762), with the published defaults.
Does not import Keras."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.models.hbmp.encoder import HBMPEncoder


class HBMPConfig(ModelConfig):
    """Settings of `hbmp`: several Bi-LSTMs over the word vectors. The final state of a
    Bi-LSTM is the initial state of the next Bi-LSTM. The sentence vector concatenates
    the max-pooled states of all Bi-LSTMs."""

    name: Literal["hbmp"]
    units: Units = setting(600, "Number of units per direction of each Bi-LSTM.")
    layers: Annotated[Count, Field(le=20)] = setting(3, "Number of Bi-LSTMs.")
    dropout: Share = setting(0.0, "Dropout rate of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config: HBMPConfig, parts: ModelParts) -> "HBMPEncoder":
    """Builds the `HBMPEncoder`."""
    from dsa.models.hbmp.encoder import HBMPEncoder

    return HBMPEncoder(
        config.units,
        layers=config.layers,
        dropout=config.dropout,
        seed=derived_seed(parts.seed, "encoder"),
        dtype=parts.dtype,
        name="encoder",
    )

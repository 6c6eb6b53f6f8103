"""Settings of the Bi-LSTM with gated attention (Chen et al. 2017, RepEval,
arXiv:1708.01353), with the published defaults. Does not import Keras.

The character vectors of the paper are not implemented.
"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.models.gated_attention.encoder import GatedAttentionEncoder


class GatedAttentionConfig(ModelConfig):
    """Settings of `gated_attention`: stacked Bi-LSTMs with shortcuts from the word
    vectors. The gates of the last Bi-LSTM weight the tokens in the pooling."""

    name: Literal["gated_attention"]
    units: Units = setting(600, "Number of units per direction of each Bi-LSTM.")
    layers: Annotated[Count, Field(le=100)] = setting(3, "Number of stacked Bi-LSTMs.")
    gate: Literal["input", "forget", "output"] = setting(
        "input",
        "Gate of the last Bi-LSTM; its norm is the weight of a token. `forget` uses "
        "1 - gate.",
    )
    dropout: Share = setting(0.5, "Dropout rate of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(
    config: GatedAttentionConfig, parts: ModelParts
) -> "GatedAttentionEncoder":
    """Builds the `GatedAttentionEncoder`."""
    from dsa.models.gated_attention.encoder import GatedAttentionEncoder

    return GatedAttentionEncoder(
        config.units,
        layers=config.layers,
        gate=config.gate,
        dropout=config.dropout,
        seed=derived_seed(parts.seed, "encoder"),
        dtype=parts.dtype,
        name="encoder",
    )

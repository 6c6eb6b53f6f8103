"""Settings of the Bi-LSTM with gated attention (Chen et al. 2017, RepEval,
arXiv:1708.01353). No Keras.

The defaults are the published settings, without the vectors of characters.
"""

from typing import Literal

from dsa.config_section import Count, Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig


class GatedAttentionConfig(ModelConfig):
    """`model` for `name: gated_attention`: stacked Bi-LSTMs that all read the words;
    tokens weigh by the gates of the last one."""

    name: Literal["gated_attention"]
    units: Units = setting(600, "Units of every LSTM in each direction.")
    layers: Count = setting(3, "Number of Bi-LSTMs, one after the other.")
    gate: Literal["input", "forget", "output"] = setting(
        "input",
        "The gate of the last Bi-LSTM that tokens weigh by; of `forget`, 1 - gate.",
    )
    dropout: Share = setting(0.5, "Dropped share of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """The `GatedAttentionEncoder` of a config."""
    from dsa.models.gated_attention.encoder import GatedAttentionEncoder

    return GatedAttentionEncoder(**parts.options(config, "encoder"))

"""Settings of the model, with the published defaults. Does not import Keras."""

from typing import Literal

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.family import Family
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed


class NewPaperConfig(ModelConfig):
    """Settings of `new_paper`."""

    name: Literal["new_paper"]
    units: Units = setting(300, "Features of a sentence vector.")
    dropout: Share = setting(0.1, "Dropout rate of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """Builds the `NewPaperEncoder` of a config."""
    from new_paper.encoder import NewPaperEncoder

    return NewPaperEncoder(
        units=config.units,
        dropout=config.dropout,
        seed=derived_seed(parts.seed, "encoder"),
        dtype=parts.dtype,
        name="encoder",
    )


FAMILY = Family(
    name="new_paper",
    module="new_paper.config",
    config_name="NewPaperConfig",
    build_name="build_encoder",
    paper="Author et al. 2019",
    encodes=True,
)

"""Settings of the model, with the published defaults. No Keras."""

from typing import Literal

from dsa.config_section import Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.models.registry import Family


class NewPaperConfig(ModelConfig):
    """`model` for `name: new_paper`."""

    name: Literal["new_paper"]
    units: Units = setting(300, "Features of a sentence vector.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """The `NewPaperEncoder` of a config."""
    from new_paper.encoder import NewPaperEncoder

    return NewPaperEncoder(**parts.options(config, "encoder"))


FAMILY = Family(
    name="new_paper",
    module="new_paper.config",
    config_name="NewPaperConfig",
    build_name="build_encoder",
    paper="Author et al. 2019",
    encodes=True,
)

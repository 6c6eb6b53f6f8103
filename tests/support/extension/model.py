"""A model family outside the package: a weighted sum of word vectors."""

from typing import Literal

from dsa.config_section import Count, setting
from dsa.models.classifiers.config import ClassifierConfig
from dsa.models.family import Family
from dsa.models.model_config import ModelConfig, Stage


class WeighedWordsConfig(ModelConfig):
    """Settings of `weighed_words`."""

    name: Literal["weighed_words"]
    units: Count = setting(8, "Number of features of a sentence vector.")
    classifier: ClassifierConfig = setting(
        ClassifierConfig(), "Settings of the classifier over the encoder."
    )
    fast: bool = setting(
        False, "Whether training starts from the encoder of a short first stage."
    )

    def stages(self):
        if not self.fast:
            return [Stage()]
        changes = {"model.fast": False, "training.epochs": 1}
        return [Stage("fast", changes), Stage(begin=copy_encoder)]


def copy_encoder(model, earlier):
    """Copies the encoder of the model of the first stage."""
    model.encoder.set_weights(earlier.encoder.get_weights())


def build_encoder(config, parts):
    """Builds the `WeighedWords` of a config."""
    from tests.support.extension.layer import WeighedWords

    return WeighedWords(config.units, dtype=parts.dtype, name="encoder")


WEIGHED_WORDS = Family(
    "weighed_words",
    "tests.support.extension.model",
    "WeighedWordsConfig",
    "build_encoder",
    "a test",
    encodes=True,
)

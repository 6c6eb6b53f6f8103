"""A family of models of its own: the sum of the words, each weighed by one number."""

from typing import Literal

from dsa.config_section import Count, setting
from dsa.models.classifiers.config import ClassifierConfig
from dsa.models.family import Family
from dsa.models.model_config import ModelConfig, Stage


class WeighedWordsConfig(ModelConfig):
    """Settings of `weighed_words`."""

    name: Literal["weighed_words"]
    units: Count = setting(8, "Features of a sentence vector.")
    classifier: ClassifierConfig = setting(
        ClassifierConfig(), "Settings of the classifier over the encoder."
    )
    fast: bool = setting(
        False, "Whether it begins with the encoder of a short training before it."
    )

    def stages(self):
        if not self.fast:
            return [Stage()]
        changes = {"model.fast": False, "training.epochs": 1}
        return [Stage("fast", changes), Stage(begin=copy_encoder)]


def copy_encoder(model, earlier):
    """Give a model the encoder of an earlier one."""
    model.encoder.set_weights(earlier.encoder.get_weights())


def build_encoder(config, parts):
    """The `WeighedWords` of a config."""
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

"""Settings of the feature-based classifier of Bowman et al. 2015 (arXiv:1508.05326),
section 3.2: a linear model over sparse features of a pair, without word vectors."""

from typing import ClassVar, Literal

from dsa.config_section import Count, setting
from dsa.models.model_config import ModelConfig


class FeaturesConfig(ModelConfig):
    """`model` for `name: features`."""

    name: Literal["features"]
    final_classifier: ClassVar[str] = "logistic"
    strengths: ClassVar[tuple[float, ...]] = tuple(2.0**n for n in range(-10, 3, 2))
    lexical: bool = setting(
        True,
        "Also indicators of the hypothesis's words and bigrams, and of pairs of a word "
        "of the premise and one of the hypothesis.",
    )
    minimum_count: Count = setting(
        2, "Training pairs that must have an indicator; rarer ones are left out."
    )


def build_classifier(config, parts):
    """A `FeatureClassifier` that has not been fitted."""
    from dsa.models.features.classifier import FeatureClassifier

    return FeatureClassifier(config, parts.vocabulary_size, parts.task.outputs)

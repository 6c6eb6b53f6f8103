"""Settings of the feature-based classifier (Bowman et al. 2015, arXiv:1508.05326,
section 3.2). Does not import Keras."""

from typing import TYPE_CHECKING, ClassVar, Literal

from dsa.config_section import Count, setting
from dsa.models.model_config import ModelConfig, ModelParts

if TYPE_CHECKING:
    from dsa.models.features.classifier import FeatureClassifier


class FeaturesConfig(ModelConfig):
    """Settings of `features`: a linear classifier over sparse features of a pair,
    without word vectors."""

    name: Literal["features"]
    final_classifier: ClassVar[str] = "logistic"
    C_values: ClassVar[tuple[float, ...]] = tuple(2.0**n for n in range(-10, 3, 2))
    lexical: bool = setting(
        True,
        "Whether to add lexical indicators: words and bigrams of the hypothesis, and "
        "pairs of a premise word and a hypothesis word.",
    )
    minimum_count: Count = setting(
        2, "Minimum number of training pairs in which a lexical indicator occurs."
    )


def build_classifier(config: FeaturesConfig, parts: ModelParts) -> "FeatureClassifier":
    """Builds the `FeatureClassifier`, without weights."""
    from dsa.models.features.classifier import FeatureClassifier

    return FeatureClassifier(config, parts.vocabulary_size, parts.task.outputs)

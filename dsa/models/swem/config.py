"""Settings of SWEM (Shen et al. 2018, arXiv:1805.09843), with the published defaults.
Does not import Keras."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.layers.pooled_encoder import PooledEncoder


class SWEMConfig(ModelConfig):
    """Settings of `swem`: word vectors, optionally with a dense layer, are pooled
    without recurrence, convolution or attention."""

    name: Literal["swem"]
    pooling: Literal["average", "max", "concat", "hierarchical"] = setting(
        "max",
        "Pooling of the words to a sentence vector: the average, the maximum, the "
        "concatenation of both, or the maximum over the averages of all windows.",
    )
    window: Annotated[Count, Field(le=100)] = setting(
        5,
        "Number of words per window; a sentence with fewer words is a single window. "
        "Only for `pooling: hierarchical`.",
    )
    word_layer: bool = setting(
        True, "Whether to apply a dense layer with ReLU to each word vector."
    )
    units: Units = setting(300, "Number of units of the word layer.")
    dropout: Share = setting(0.2, "Dropout rate of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config: SWEMConfig, parts: ModelParts) -> "PooledEncoder":
    """Builds the encoder, a `PooledEncoder` with the pooling of the config."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MaxPooling, MeanPooling
    from dsa.layers.word_embedding import WordDropout
    from dsa.models.swem.word_pooling import (
        AverageMaxPooling,
        HierarchicalPooling,
        WordLayer,
    )

    seed = derived_seed(parts.seed, "encoder", "words")
    if config.word_layer:
        word_layer = WordLayer(
            config.units,
            dropout=config.dropout,
            seed=seed,
            dtype=parts.dtype,
            name="word_layer",
        )
    else:
        word_layer = WordDropout(
            config.dropout, seed=seed, dtype=parts.dtype, name="word_dropout"
        )
    if config.pooling == "average":
        pooling = MeanPooling(dtype=parts.dtype, name="pooling")
    elif config.pooling == "max":
        pooling = MaxPooling(dtype=parts.dtype, name="pooling")
    elif config.pooling == "concat":
        pooling = AverageMaxPooling(dtype=parts.dtype, name="pooling")
    else:
        pooling = HierarchicalPooling(config.window, dtype=parts.dtype, name="pooling")
    return PooledEncoder(pooling, context=word_layer, dtype=parts.dtype, name="encoder")

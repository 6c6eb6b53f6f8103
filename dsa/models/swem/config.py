"""Settings of SWEM (Shen et al. 2018, arXiv:1805.09843), published defaults. No
Keras."""

from typing import Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed


class SWEMConfig(ModelConfig):
    """`model` for `name: swem`: word vectors, each through one layer, then pooled. No
    word knows its neighbours."""

    name: Literal["swem"]
    pooling: Literal["average", "max", "concat", "hierarchical"] = setting(
        "max",
        "How words become a sentence vector: their average, their maximum, both, or "
        "the maximum of the averages of all windows of some words.",
    )
    window: Annotated[Count, Field(le=100)] = setting(
        5,
        "Words of a window; a shorter sentence is one window. Only for `pooling: "
        "hierarchical`.",
    )
    word_layer: bool = setting(
        True, "Whether each word vector goes through a layer with ReLU before pooling."
    )
    units: Units = setting(300, "Units of the word layer.")
    dropout: Share = setting(0.2, "Dropped share of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """The `PooledEncoder` of a `SWEMConfig`."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MaxPooling, MeanPooling
    from dsa.layers.word_embedding import WordDropout
    from dsa.models.swem.word_pooling import (
        AverageMaxPooling,
        HierarchicalPooling,
        WordLayer,
    )

    dtype = parts.dtype
    of_words = {
        "dropout": config.dropout,
        "seed": derived_seed(parts.seed, "encoder", "words"),
        "dtype": dtype,
    }
    if config.word_layer:
        words = WordLayer(config.units, name="word_layer", **of_words)
    else:
        words = WordDropout(name="word_dropout", **of_words)
    if config.pooling == "hierarchical":
        pooling = HierarchicalPooling(config.window, dtype=dtype, name="pooling")
    else:
        forms = {"average": MeanPooling, "max": MaxPooling, "concat": AverageMaxPooling}
        pooling = forms[config.pooling](dtype=dtype, name="pooling")
    return PooledEncoder(pooling, words, dtype=dtype, name="encoder")

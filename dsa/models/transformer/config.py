"""Settings of a Transformer encoder (Vaswani et al. 2017, arXiv:1706.03762). No Keras.

The defaults are of DSA's size: two stacks of one layer in place of its two directions.
"""

from typing import Literal

from pydantic import model_validator

from dsa.config_section import Count, PositiveNumber, Share, Units, check_heads, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig


class TransformerConfig(ModelConfig):
    """`model` for `name: transformer`: every token looks at all tokens. With two stacks
    of one layer it is DSA without directions, distances and gates."""

    name: Literal["transformer"]
    units: Units = setting(300, "Features of a token in each stack.")
    heads: Count = setting(5, "Attention heads; they divide `units`.")
    layers: Count = setting(1, "Layers of each stack, one after the other.")
    stacks: Count = setting(
        2, "Stacks beside each other, whose outputs are joined as DSA's directions."
    )
    hidden_units: Units | None = setting(
        None, "Hidden units of the feed-forward blocks; `null` for 4 x `units`."
    )
    positions: Literal["sinusoidal", "learned", "relative", "none"] = setting(
        "sinusoidal",
        "How the model knows a token's position: a vector of its position is added to "
        "its word vector, a computed or a trained one; `relative`, vectors of the "
        "distance of two tokens in the attention (Shaw et al. 2018, arXiv:1803.02155).",
    )
    max_position: Count = setting(
        512,
        "Positions with a trained vector; later ones have the last one's. Only for "
        "`positions: learned`.",
    )
    max_distance: Count = setting(
        16,
        "Distances with a trained vector, in each direction; farther tokens share the "
        "last one's. Only for `positions: relative`.",
    )
    word_scale: PositiveNumber = setting(
        1.0,
        "Word vectors are multiplied by it, before vectors of positions are added, "
        "whose features are up to 1. The paper's square root of `units` is for word "
        "vectors of variance 1 / `units`.",
    )
    norm: Literal["post", "pre"] = setting(
        "post",
        "Layer normalisation after each sum (2017), or before each block and at the "
        "end (Xiong et al. 2020, arXiv:2002.04745).",
    )
    dropout: Share = setting(
        0.1, "Dropped share of the stacks' inputs and of every block's output."
    )
    pooling: Literal["both", "source2token", "max"] = setting(
        "both", "How tokens become a sentence vector, as DSA's."
    )
    layer_norm: bool = setting(
        True, "Layer normalisation in source2token and in the classifier, as DSA's."
    )
    classifier: ClassifierConfig = CLASSIFIER

    @model_validator(mode="after")
    def _possible(self):
        check_heads(self)
        return self

    def check_experiment(self, experiment):
        """Raises `ValueError` for word vectors of another size than `units`: they are
        added to what is looked at."""
        units = experiment.embedding.output_units
        if units != self.units:
            raise ValueError(
                "a Transformer adds to the word vectors, so 'model.units' must equal "
                "the vectors' features ('embedding.projection', else "
                f"'embedding.units'). Received: model.units={self.units}, vectors of "
                f"{units} features"
            )


def build_encoder(config, parts):
    """The `TransformerEncoder` of a `TransformerConfig`."""
    from dsa.models.transformer.encoder import TransformerEncoder

    return TransformerEncoder(**parts.options(config, "encoder"))

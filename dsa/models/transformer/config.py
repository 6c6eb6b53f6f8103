"""Settings of the Transformer encoder (Vaswani et al. 2017, arXiv:1706.03762). Does not
import Keras.

The default encoder has the units and heads of DSA, with two stacks of one layer instead
of two directions.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from dsa.config_section import Count, PositiveNumber, Share, Units, check_heads, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.models.transformer.encoder import TransformerEncoder


class TransformerConfig(ModelConfig):
    """Settings of `transformer`: stacks of Transformer layers, then the pooling of DSA.

    Units, heads, hidden units, dropout, pooling and classifier are those of DSA.
    Positions, biases and residual connections are those of a Transformer.
    """

    name: Literal["transformer"]
    units: Units = setting(300, "Number of features of a token in each stack.")
    heads: Count = setting(5, "Number of attention heads; must divide `units`.")
    layers: Annotated[Count, Field(le=100)] = setting(
        1, "Number of layers in each stack."
    )
    stacks: Annotated[Count, Field(le=100)] = setting(
        2,
        "Number of parallel stacks. Their outputs are concatenated, like the two "
        "directions of DSA.",
    )
    hidden_units: Units | None = setting(
        None,
        "Number of hidden units of the feed-forward blocks; `null` for 4 x `units`.",
    )
    positions: Literal["sinusoidal", "learned", "relative", "none"] = setting(
        "sinusoidal",
        "Position embedding: `sinusoidal` and `learned` add a vector per position to "
        "the word vectors; `relative` adds a learned vector per offset between two "
        "tokens in the attention (Shaw et al. 2018, arXiv:1803.02155).",
    )
    max_position: Units = setting(
        512,
        "Number of learned position embeddings; later positions use the last one. Only "
        "for `positions: learned`.",
    )
    max_distance: Units = setting(
        16,
        "Maximum offset between two tokens, in each direction; larger offsets are "
        "clipped. Only for `positions: relative`.",
    )
    word_scale: PositiveNumber = setting(
        1.0,
        "Factor of the word vectors before the position embedding is added. Sinusoidal "
        "position embeddings have values up to 1. The factor of the paper is the "
        "square root of `units`, for word vectors with variance 1 / `units`.",
    )
    norm: Literal["post", "pre"] = setting(
        "post",
        "`post`: layer normalisation after each residual sum (Vaswani et al. 2017); "
        "`pre`: before each block and after the last layer (Xiong et al. 2020, "
        "arXiv:2002.04745).",
    )
    dropout: Share = setting(
        0.1, "Dropout rate of the inputs of the stacks and of the output of each block."
    )
    pooling: Literal["both", "source2token", "max"] = setting(
        "both",
        "Pooling of the tokens to a sentence vector: source2token, maximum, or both as "
        "in DSA.",
    )
    layer_norm: bool = setting(
        True, "Layer normalisation in source2token and in the classifier, as in DSA."
    )
    classifier: ClassifierConfig = CLASSIFIER

    @model_validator(mode="after")
    def _check_heads(self):
        check_heads(self)
        return self

    def check_experiment(self, tokenizer: Any, embedding: Any, training: Any) -> None:
        """Raises `ValueError` if the word vectors do not have `units` features.

        The residual connections add the word vectors to the outputs of the blocks.
        """
        units = embedding.output_units
        if units != self.units:
            raise ValueError(
                "residual connections add the word vectors to the outputs of the "
                "blocks, so 'model.units' must equal the size of the word vectors "
                "('embedding.projection' if set, otherwise 'embedding.units'). "
                f"Received: model.units={self.units}, word vectors of size {units}"
            )


def build_encoder(config: TransformerConfig, parts: ModelParts) -> "TransformerEncoder":
    """Builds the `TransformerEncoder`."""
    from dsa.models.transformer.encoder import TransformerEncoder

    return TransformerEncoder(
        units=config.units,
        heads=config.heads,
        layers=config.layers,
        stacks=config.stacks,
        hidden_units=config.hidden_units,
        positions=config.positions,
        max_position=config.max_position,
        max_distance=config.max_distance,
        word_scale=config.word_scale,
        norm=config.norm,
        pooling=config.pooling,
        dropout=config.dropout,
        layer_norm=config.layer_norm,
        seed=derived_seed(parts.seed, "encoder"),
        dtype=parts.dtype,
        name="encoder",
    )

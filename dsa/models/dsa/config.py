"""Settings of the Distance-based Self-Attention Network (Im & Cho 2017,
arXiv:1712.02047), with the published defaults. Does not import Keras."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import model_validator

from dsa.config_section import (
    Count,
    NonNegativeNumber,
    Share,
    Units,
    check_heads,
    setting,
)
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.models.dsa.encoder import DSAEncoder


class DSAConfig(ModelConfig):
    """Settings of `dsa`: self-attention in two directions with a distance mask."""

    published_units: ClassVar = 300

    name: Literal["dsa"]
    units: Units = setting(300, "Number of features of a token in each direction.")
    heads: Count = setting(5, "Number of attention heads; must divide `units`.")
    attention: Literal["multi_head", "multi_dimensional"] = setting(
        "multi_head",
        "One attention weight per head, or one per feature as in DiSAN. The paper "
        "evaluates both. `multi_dimensional` ignores `heads` and needs much more "
        "memory.",
    )
    alpha: NonNegativeNumber = setting(
        1.5, "Weight of the distance mask; 0 disables the mask."
    )
    hidden_units: Units | None = setting(
        None, "Number of hidden units of the feed-forward block; `null`: 4 x `units`."
    )
    dropout: Share = setting(
        0.1,
        "Dropout rate of the attention output, of the logits of the gate and of the "
        "output of the feed-forward block.",
    )
    gate: Literal["projected", "raw", "normalized"] = setting(
        "projected",
        "Terms of the gated sum: projected inputs and contexts (DSA), raw inputs and "
        "contexts (DiSAN), or layer-normalized inputs and contexts.",
    )
    directions: bool = setting(
        True,
        "Whether to apply the directional mask; if `false`, a token attends to all "
        "other tokens.",
    )
    feed_forward: bool = setting(
        True, "Whether to apply the position-wise feed-forward block."
    )
    pooling: Literal["both", "source2token", "max"] = setting(
        "both",
        "Pooling of the token vectors: multi-dimensional source2token self-attention, "
        "max pooling, or both concatenated.",
    )
    layer_norm: bool = setting(
        True,
        "Whether to apply layer normalization: after the linear projections, and after "
        "the residual connection of the feed-forward block.",
    )
    classifier: ClassifierConfig = CLASSIFIER

    @model_validator(mode="after")
    def _check_heads(self):
        if self.attention == "multi_head":
            check_heads(self)
        return self

    def check_experiment(self, tokenizer: Any, embedding: Any, training: Any) -> None:
        """Raises `ValueError` if the gate sums word vectors and contexts of different
        sizes.

        The gates "raw" and "normalized" sum the word vectors and the contexts without
        projections, so the word vectors must have `units` features, like the contexts.
        """
        units = embedding.output_units
        if self.gate != "projected" and units != self.units:
            raise ValueError(
                f"'model.gate: {self.gate}' mixes word vectors with contexts, so "
                "'model.units' must equal the size of the word vectors "
                "('embedding.projection' if set, otherwise 'embedding.units'). "
                f"Received: model.units={self.units}, vectors of {units} features"
            )


def build_encoder(config: DSAConfig, parts: ModelParts) -> "DSAEncoder":
    """Builds the encoder.

    Args:
        config: the `model` section.
        parts: build arguments shared by all families.
    """
    from dsa.models.dsa.encoder import DSAEncoder

    return DSAEncoder(
        units=config.units,
        heads=config.heads,
        attention=config.attention,
        alpha=config.alpha,
        hidden_units=config.hidden_units,
        gate=config.gate,
        directions=config.directions,
        feed_forward=config.feed_forward,
        pooling=config.pooling,
        dropout=config.dropout,
        layer_norm=config.layer_norm,
        seed=derived_seed(parts.seed, "encoder"),
        dtype=parts.dtype,
        name="encoder",
    )

"""Settings of the Distance-based Self-Attention Network (Im & Cho 2017,
arXiv:1712.02047). The defaults are the published ones. No Keras."""

from typing import ClassVar, Literal

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
from dsa.models.model_config import ModelConfig


class DSAConfig(ModelConfig):
    """`model` for `name: dsa`."""

    published_units: ClassVar = 300

    name: Literal["dsa"]
    units: Units = setting(300, "Features of a token in each direction.")
    heads: Count = setting(5, "Attention heads; they divide `units`.")
    attention: Literal["multi_head", "multi_dimensional"] = setting(
        "multi_head",
        "Weights for each head, or for each feature as in DiSAN, which the paper tried "
        "too; these have no `heads`, and need much memory.",
    )
    alpha: NonNegativeNumber = setting(
        1.5, "Weight of the distance mask; 0 leaves it out."
    )
    hidden_units: Units | None = setting(
        None, "Hidden units of the feed-forward block; `null` for 4 x `units`."
    )
    dropout: Share = setting(
        0.1, "Dropped share of attention output, gate and feed-forward output."
    )
    gate: Literal["projected", "raw", "normalized"] = setting(
        "projected",
        "What the fusion gate mixes: projected inputs and contexts (this paper), raw "
        "ones (DiSAN's gate), or raw ones after layer normalisation.",
    )
    directions: bool = setting(
        True, "`false` leaves out the directional mask: a token sees all others."
    )
    feed_forward: bool = setting(
        True, "`false` leaves out the position-wise feed-forward block."
    )
    pooling: Literal["both", "source2token", "max"] = setting(
        "both", "How tokens become a sentence vector."
    )
    layer_norm: bool = setting(True, "Layer normalisation after every linear map.")
    classifier: ClassifierConfig = CLASSIFIER

    @model_validator(mode="after")
    def _possible(self):
        check_heads(self)
        return self

    def check_experiment(self, experiment):
        """Raises `ValueError` for a gate that mixes word vectors themselves with
        contexts, where they have another size than `units`."""
        units = experiment.embedding.output_units
        if self.gate != "projected" and units != self.units:
            raise ValueError(
                f"'model.gate: {self.gate}' mixes word vectors with contexts, so "
                "'model.units' must equal the vectors' features "
                "('embedding.projection', else 'embedding.units'). Received: "
                f"model.units={self.units}, vectors of {units} features"
            )


def build_encoder(config, parts):
    """The `DSAEncoder` of a `DSAConfig`."""
    from dsa.models.dsa.encoder import DSAEncoder

    return DSAEncoder(**parts.options(config, "encoder"))

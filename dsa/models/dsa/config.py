"""The Distance-based Self-Attention Network (Im & Cho 2017, arXiv:1712.02047)."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dsa.config_section import Count, Number, Section, Share, refuse_uneven_heads
from dsa.models.classifiers.config import ClassifierConfig
from dsa.seeds import derived_seed


class DSAConfig(Section):
    """`model` for `name: dsa`. The defaults are the published settings."""

    name: Literal["dsa"]
    units: Count = 300
    heads: Count = 5
    alpha: Annotated[Number, Field(ge=0)] = 1.5  # 0: without distance mask
    hidden_units: Count | None = None  # None: 4 x units
    dropout: Share = 0.1
    gate: Literal["projected", "raw"] = "projected"
    pooling: Literal["both", "source2token", "max"] = "both"
    layer_norm: bool = True
    classifier: ClassifierConfig = ClassifierConfig()

    @model_validator(mode="after")
    def _possible(self):
        refuse_uneven_heads(self)
        return self

    def check_inputs(self, units):
        """A raw gate mixes word vectors with contexts.

        Raises: `ValueError` for word vectors of another size than `units` then.
        """
        if self.gate == "raw" and units != self.units:
            raise ValueError(
                "'model.gate: raw' mixes word vectors with contexts, so 'model.units' "
                "must equal the vectors' features ('embedding.projection', else "
                f"'embedding.units'). Received: model.units={self.units}, "
                f"vectors of {units} features"
            )


def build_encoder(config, seed, dtype):
    """The `DSAEncoder` of a `DSAConfig`."""
    from dsa.models.dsa.encoder import DSAEncoder

    return DSAEncoder(
        units=config.units,
        heads=config.heads,
        alpha=config.alpha,
        hidden_units=config.hidden_units,
        gate=config.gate,
        pooling=config.pooling,
        dropout=config.dropout,
        layer_norm=config.layer_norm,
        seed=derived_seed(seed, "encoder"),
        dtype=dtype,
        name="encoder",
    )

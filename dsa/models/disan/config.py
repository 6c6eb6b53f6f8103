"""DiSAN and its baselines (Shen et al. 2018, arXiv:1709.04696).

All are a context, then a pooling; the defaults are the published settings.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from dsa.config_section import (
    Count,
    PositiveNumber,
    Section,
    Share,
    refuse_uneven_heads,
)
from dsa.models.classifiers.config import ClassifierConfig, Decay
from dsa.seeds import derived_seed

Activation = Literal["elu", "relu"]


class DiSANClassifierConfig(ClassifierConfig):
    """`model.classifier` of these models: DiSAN's own."""

    dropout: Share = 0.25
    input_dropout: Share = 0.25
    difference: Literal["absolute", "signed"] = "signed"
    activation: Activation = "elu"
    l2: Decay = 5e-5


class PooledConfig(Section):
    """What DiSAN and its baselines share. `dropout`: of the input of every linear map;
    `l2` times half the sum of squares of the matrices that the released code decays is
    added to the loss."""

    dropout: Share = 0.25
    l2: Decay = 5e-5
    activation: Activation = "elu"
    classifier: DiSANClassifierConfig = DiSANClassifierConfig()
    layer_norm: ClassVar[bool] = False  # nowhere in these models

    def check_inputs(self, units):
        """Word vectors of any number of features will do."""


class DiSANConfig(PooledConfig):
    """`model` for `name: disan`. `directions: false` lets both blocks look at all other
    tokens; `gate_biases`: 3 as in the released code, or 1 as in the paper."""

    name: Literal["disan"]
    units: Count = 300
    directions: bool = True
    scale: Annotated[PositiveNumber, Field(le=30)] = 5.0  # of `Token2Token`
    gate_biases: Literal[1, 3] = 3


class Source2TokenConfig(PooledConfig):
    """`model` for `name: source2token`: word vectors, pooled."""

    name: Literal["source2token"]


class AdditiveAttentionConfig(PooledConfig):
    """`model` for `name: additive_attention`: word vectors, pooled."""

    name: Literal["additive_attention"]


class MultiHeadConfig(PooledConfig):
    """`model` for `name: multi_head`: multi-head attention over word vectors with
    sinusoidal positions, then source2token."""

    name: Literal["multi_head"]
    units: Count = 600
    heads: Count = 8

    @model_validator(mode="after")
    def _possible(self):
        refuse_uneven_heads(self)
        return self

    def check_inputs(self, units):
        """Sinusoidal positions come in pairs.

        Raises: `ValueError` for an odd number of features.
        """
        if units % 2:
            raise ValueError(
                "'model.name: multi_head' adds sinusoidal positions, so the vectors' "
                "features ('embedding.projection', else 'embedding.units') must be an "
                f"even number. Received: {units}"
            )


class ReluClassifierConfig(DiSANClassifierConfig):
    """`model.classifier` of the Bi-LSTM."""

    activation: Activation = "relu"


class BiLSTMConfig(PooledConfig):
    """`model` for `name: bilstm`: a Bi-LSTM of `units` a direction, then source2token;
    with ReLU, as in the released code."""

    name: Literal["bilstm"]
    units: Count = 300
    activation: Activation = "relu"
    classifier: ReluClassifierConfig = ReluClassifierConfig()


def build_encoder(config, seed, dtype):
    """The `PooledEncoder` of one of these configs."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.source2token import Source2Token
    from dsa.models.disan.additive_attention import AdditiveAttention

    seed = derived_seed(seed, "encoder")
    linear = {
        "activation": config.activation,
        "dropout": config.dropout,
        "l2": config.l2,
        "dtype": dtype,
    }
    pooling_seed = derived_seed(seed, "pooling")
    if config.name == "additive_attention":
        pooling = AdditiveAttention(
            **linear, seed=pooling_seed, name="additive_attention"
        )
    else:
        pooling = Source2Token(
            layer_norm=False, **linear, seed=pooling_seed, name="source2token"
        )
    return PooledEncoder(
        pooling, _context(config, linear, seed, dtype), dtype=dtype, name="encoder"
    )


def _context(config, linear, seed, dtype):
    from dsa.layers.bilstm import BiLSTM
    from dsa.models.disan.blocks import BidirectionalDiSA
    from dsa.models.disan.multi_head_attention import MultiHeadSelfAttention

    seed = derived_seed(seed, "context")
    if config.name == "disan":
        return BidirectionalDiSA(
            config.units,
            config.directions,
            scale=config.scale,
            gate_biases=config.gate_biases,
            **linear,
            seed=seed,
            name="blocks",
        )
    if config.name == "multi_head":
        return MultiHeadSelfAttention(
            config.units,
            config.heads,
            config.dropout,
            config.l2,
            seed=seed,
            dtype=dtype,
            name="multi_head",
        )
    if config.name == "bilstm":
        return BiLSTM(
            config.units,
            config.dropout,
            config.l2,
            seed=seed,
            dtype=dtype,
            name="bilstm",
        )
    return None

"""Settings of DiSAN and its baselines (Shen et al. 2018, arXiv:1709.04696). No Keras.

All are a context, then a pooling; the defaults are the published settings.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from dsa.config_section import (
    Count,
    NonNegativeNumber,
    PositiveNumber,
    Share,
    Units,
    check_heads,
    setting,
)
from dsa.models.classifiers.config import L2, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed

Activation = Literal["elu", "relu"]


class DiSANClassifierConfig(ClassifierConfig):
    """`model.classifier` of these models: DiSAN's own."""

    dropout: Share = setting(0.25, "Dropped share of the hidden layer.")
    input_dropout: Share = setting(0.25, "Dropped share of the classifier's input.")
    difference: Literal["absolute", "signed"] = setting(
        "signed", "Difference of the two sentence vectors: the absolute one or u - v."
    )
    activation: Activation = setting(  # pyright: ignore[reportIncompatibleVariableOverride]
        "elu", "Activation of the hidden layer."
    )
    l2: NonNegativeNumber = setting(5e-5, L2)


class PooledConfig(ModelConfig):
    """What DiSAN and its baselines share."""

    published_units: ClassVar = 300

    dropout: Share = setting(0.25, "Dropped share of the input of every linear map.")
    l2: NonNegativeNumber = setting(
        5e-5, f"{L2} The matrices are those that the released code decays."
    )
    activation: Activation = setting("elu", "Activation of the linear maps.")
    classifier: DiSANClassifierConfig = setting(
        DiSANClassifierConfig(), "Settings of the classifier over the encoder."
    )


class DiSANConfig(PooledConfig):
    """`model` for `name: disan`."""

    name: Literal["disan"]
    units: Units = setting(300, "Features of a token in each direction.")
    directions: bool = setting(
        True, "`false` lets both blocks look at all other tokens."
    )
    scale: Annotated[PositiveNumber, Field(le=30)] = setting(
        5.0, "c of the attention logits c tanh(x / c)."
    )
    gate_biases: Literal[1, 3] = setting(
        3, "Biases of the fusion gate: 3 as in the released code, 1 as in the paper."
    )


class Source2TokenConfig(PooledConfig):
    """`model` for `name: source2token`: word vectors, pooled by source2token."""

    name: Literal["source2token"]


class AdditiveAttentionConfig(PooledConfig):
    """`model` for `name: additive_attention`: word vectors, pooled by additive
    attention."""

    name: Literal["additive_attention"]


class MultiHeadConfig(PooledConfig):
    """`model` for `name: multi_head`: multi-head attention over word vectors with
    sinusoidal positions, then source2token."""

    name: Literal["multi_head"]
    units: Units = setting(600, "Features of a token after attention.")
    heads: Count = setting(8, "Attention heads; they divide `units`.")
    positions: Literal["halves", "alternating"] = setting(
        "halves",
        "Sines, then cosines (Vaswani et al. 2017, their code); or by turns, twice as "
        "steep, as in the later code of DiSAN's authors.",
    )
    initialization: Literal["keras", "released"] = setting(
        "keras",
        "How the heads' matrices begin: each by itself; or, as in that code, as one "
        "variable, about a third of the size.",
    )

    @model_validator(mode="after")
    def _possible(self):
        check_heads(self)
        return self

    def check_experiment(self, experiment):
        """Raises `ValueError` for an odd number of features: sinusoidal positions come
        in pairs."""
        units = experiment.embedding.output_units
        if units % 2:
            raise ValueError(
                "'model.name: multi_head' adds sinusoidal positions, so the vectors' "
                "features ('embedding.projection', else 'embedding.units') must be an "
                f"even number. Received: {units}"
            )


class ReluClassifierConfig(DiSANClassifierConfig):
    """`model.classifier` of the Bi-LSTM."""

    activation: Activation = setting("relu", "Activation of the hidden layer.")


class BiLSTMConfig(PooledConfig):
    """`model` for `name: bilstm`: a Bi-LSTM, then source2token; with ReLU, as in the
    released code."""

    name: Literal["bilstm"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    activation: Activation = setting("relu", "Activation of the linear maps.")
    classifier: ReluClassifierConfig = setting(  # pyright: ignore[reportIncompatibleVariableOverride]
        ReluClassifierConfig(), "Settings of the classifier over the encoder."
    )


def build_encoder(config, parts):
    """The `PooledEncoder` of one of these configs."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.models.disan.baseline_attention import AdditiveAttention
    from dsa.models.disan.multi_dimensional import RegularizedSource2Token

    linear = config.model_dump(include={"activation", "dropout", "l2"})
    seed, dtype = derived_seed(parts.seed, "encoder"), parts.dtype
    name, form = "source2token", RegularizedSource2Token
    if config.name == "additive_attention":
        name, form = "additive_attention", AdditiveAttention
    pooling_seed = derived_seed(seed, "pooling")
    pooling = form(**linear, seed=pooling_seed, dtype=dtype, name=name)
    common = {"seed": derived_seed(seed, "context"), "dtype": dtype}
    context = _build_context(config, linear, common)
    return PooledEncoder(pooling, context, dtype=dtype, name="encoder")


def _build_context(config, linear, common):
    """The layer that lets tokens see each other; `None` for word vectors only."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.layers.normalized_dense import make_decay
    from dsa.models.disan.baseline_attention import MultiHeadSelfAttention
    from dsa.models.disan.blocks import BidirectionalDiSA

    if config.name == "disan":
        block = {"scale": config.scale, "gate_biases": config.gate_biases, **linear}
        return BidirectionalDiSA(
            config.units, config.directions, block, **common, name="blocks"
        )
    if config.name == "multi_head":
        settings = config.model_dump(exclude={"name", "activation", "classifier"})
        return MultiHeadSelfAttention(**settings, **common, name="multi_head")
    if config.name == "bilstm":
        decay = ("kernel_regularizer", "recurrent_regularizer")
        cell = {name: make_decay(config.l2) for name in decay}
        return BiLSTM(config.units, config.dropout, cell, **common, name="bilstm")
    return None

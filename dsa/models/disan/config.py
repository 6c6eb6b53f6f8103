"""Settings of DiSAN and its baselines (Shen et al. 2018, arXiv:1709.04696).

The defaults are the published settings, except for the dropout of `multi_head`, which
the paper tunes. Does not import Keras.

Each encoder is a `PooledEncoder`: an optional context layer and a pooling layer.
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

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
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.layers.pooled_encoder import PooledEncoder

Activation = Literal["elu", "relu"]


class DiSANClassifierConfig(ClassifierConfig):
    """`model.classifier` of DiSAN and its baselines."""

    dropout: Share = setting(0.25, "Dropout rate of the hidden layer.")
    input_dropout: Share = setting(0.25, "Dropout rate of the classifier's input.")
    difference: Literal["absolute", "signed"] = setting(
        "signed", "Difference of the two sentence vectors: `|u - v|` or `u - v`."
    )
    activation: Activation = setting(  # pyright: ignore[reportIncompatibleVariableOverride]
        "elu", "Activation of the hidden layer."
    )
    l2: NonNegativeNumber = setting(5e-5, L2)


class PooledConfig(ModelConfig):
    """Settings shared by DiSAN and its baselines."""

    published_units: ClassVar = 300

    dropout: Share = setting(0.25, "Dropout rate of the input of every linear map.")
    l2: NonNegativeNumber = setting(
        5e-5, f"{L2} Applies to the same matrices as in the released code."
    )
    activation: Activation = setting("elu", "Activation of the linear maps.")
    classifier: DiSANClassifierConfig = setting(
        DiSANClassifierConfig(), "Settings of the classifier over the encoder."
    )


class DiSANConfig(PooledConfig):
    """Settings of `disan`."""

    name: Literal["disan"]
    units: Units = setting(300, "Number of features of a token in each direction.")
    directions: bool = setting(
        True,
        "Whether to apply the directional masks; if `false`, a token attends to all "
        "other tokens.",
    )
    scale: Annotated[PositiveNumber, Field(le=30)] = setting(
        5.0, "Bound c of the attention logits c tanh(x / c)."
    )
    gate_biases: Literal[1, 3] = setting(
        3,
        "Number of biases of the fusion gate: 3 as in the released code, 1 as in the "
        "paper.",
    )


class Source2TokenConfig(PooledConfig):
    """Settings of `source2token`: source2token pooling of word vectors."""

    name: Literal["source2token"]


class AdditiveAttentionConfig(PooledConfig):
    """Settings of `additive_attention`: additive attention pooling of word
    vectors."""

    name: Literal["additive_attention"]


class MultiHeadConfig(PooledConfig):
    """Settings of `multi_head`: multi-head attention over word vectors with
    sinusoidal positions, then source2token pooling."""

    name: Literal["multi_head"]
    units: Units = setting(600, "Number of features of a token after attention.")
    heads: Count = setting(8, "Number of attention heads; must divide `units`.")
    positions: Literal["halves", "alternating"] = setting(
        "halves",
        "Order of the position features: `halves` for all sines before all cosines, as "
        "in the code of Vaswani et al. 2017; `alternating` for alternating sines and "
        "cosines with the rates of the DiSAN authors' later code.",
    )
    initialization: Literal["keras", "released"] = setting(
        "keras",
        "Initial range of the projection matrices: `keras` for the Glorot range of "
        "each matrix; `released` for the range of the DiSAN authors' later code, about "
        "a third of it, because the code stores all matrices in one variable.",
    )

    @model_validator(mode="after")
    def _check_heads(self):
        check_heads(self)
        return self

    def check_experiment(self, tokenizer: Any, embedding: Any, training: Any) -> None:
        """Raises `ValueError` if the number of features of the word vectors is odd.

        The positions are pairs of a sine and a cosine.
        """
        units = embedding.output_units
        if units % 2:
            raise ValueError(
                "'model.name: multi_head' adds sinusoidal positions, so the size of "
                "the word vectors ('embedding.projection' if set, otherwise "
                f"'embedding.units') must be even. Received: {units}"
            )


class ReluClassifierConfig(DiSANClassifierConfig):
    """`model.classifier` of the Bi-LSTM baseline."""

    activation: Activation = setting("relu", "Activation of the hidden layer.")


class BiLSTMConfig(PooledConfig):
    """Settings of `bilstm`: a Bi-LSTM, then source2token pooling, with ReLU as in
    the released code."""

    name: Literal["bilstm"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    activation: Activation = setting("relu", "Activation of the linear maps.")
    classifier: ReluClassifierConfig = setting(  # pyright: ignore[reportIncompatibleVariableOverride]
        ReluClassifierConfig(), "Settings of the classifier over the encoder."
    )


def build_encoder(config: PooledConfig, parts: ModelParts) -> "PooledEncoder":
    """Builds the `PooledEncoder` of a `PooledConfig`."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.models.disan.baseline_attention import AdditiveAttention
    from dsa.models.disan.multi_dimensional import RegularizedSource2Token

    seed = derived_seed(parts.seed, "encoder")
    if config.name == "additive_attention":
        pooling = AdditiveAttention(
            activation=config.activation,
            dropout=config.dropout,
            l2=config.l2,
            seed=derived_seed(seed, "pooling"),
            dtype=parts.dtype,
            name="additive_attention",
        )
    else:
        pooling = RegularizedSource2Token(
            activation=config.activation,
            dropout=config.dropout,
            l2=config.l2,
            seed=derived_seed(seed, "pooling"),
            dtype=parts.dtype,
            name="source2token",
        )
    context = _build_context(config, derived_seed(seed, "context"), parts.dtype)
    return PooledEncoder(pooling, context, dtype=parts.dtype, name="encoder")


def _build_context(config, seed, dtype):
    """Builds the context layer, or returns `None` for encoders of word vectors only."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.layers.normalized_dense import make_l2_regularizer
    from dsa.models.disan.baseline_attention import MultiHeadSelfAttention
    from dsa.models.disan.blocks import BidirectionalDiSA

    if config.name == "disan":
        return BidirectionalDiSA(
            config.units,
            directions=config.directions,
            scale=config.scale,
            gate_biases=config.gate_biases,
            activation=config.activation,
            dropout=config.dropout,
            l2=config.l2,
            seed=seed,
            dtype=dtype,
            name="blocks",
        )
    if config.name == "multi_head":
        return MultiHeadSelfAttention(
            config.units,
            config.heads,
            dropout=config.dropout,
            l2=config.l2,
            positions=config.positions,
            initialization=config.initialization,
            seed=seed,
            dtype=dtype,
            name="multi_head",
        )
    if config.name == "bilstm":
        return BiLSTM(
            config.units,
            dropout=config.dropout,
            kernel_regularizer=make_l2_regularizer(config.l2),
            recurrent_regularizer=make_l2_regularizer(config.l2),
            seed=seed,
            dtype=dtype,
            name="bilstm",
        )
    if config.name in ("source2token", "additive_attention"):
        return None
    raise ValueError(
        f"`name` must be DiSAN or one of its baselines. Received: {config.name}"
    )

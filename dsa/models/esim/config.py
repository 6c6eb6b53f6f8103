"""Settings of ESIM (Chen et al. 2017, arXiv:1609.06038), aESIM (Li et al. 2019) and a
sentence encoder with the Bi-aLSTM of aESIM. The defaults are the published settings;
the papers have none for `bialstm`.

Does not import Keras.
"""

from typing import TYPE_CHECKING, ClassVar, Literal

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.models.esim.network import ESIM

DROPOUT = (
    "Dropout rate of word vectors, projection, pooled features and hidden layer, as "
    "in the released code of ESIM."
)
SHARE_ATTENTION = setting(
    False,
    "Whether both directions share one word attention layer; the paper does not "
    "specify it.",
)
RESCALE = setting(
    False,
    "Whether to multiply the weighted states by the sentence length; the paper does "
    "not multiply them.",
)


class PairModelConfig(ModelConfig):
    """Settings shared by ESIM and aESIM."""

    published_units: ClassVar = 300

    units: Units = setting(300, "Units of each LSTM in each direction.")
    dropout: Share = setting(0.5, DROPOUT)


class ESIMConfig(PairModelConfig):
    """Settings of `esim`."""

    name: Literal["esim"]
    inverted_dropout: bool = setting(
        True,
        "Whether dropout divides the kept values by the keep rate during training, as "
        "in Keras; `false` multiplies all values by the keep rate at inference, as in "
        "the released code of ESIM.",
    )
    initialization: Literal["keras", "released"] = setting(
        "keras",
        "Initial weights: `keras` for the defaults of Keras; `released` for the "
        "initializers of ESIM's released code: orthogonal square matrices of the LSTM "
        "gates, 0.01 N(0, 1) for all other matrices, and a forget bias of 0.",
    )


class AESIMConfig(PairModelConfig):
    """Settings of `aesim`: ESIM with word attention."""

    name: Literal["aesim"]
    dropout: Share = setting(0.2, DROPOUT)
    share_attention: bool = SHARE_ATTENTION
    rescale: bool = RESCALE


def build_esim(config: ESIMConfig, parts: ModelParts) -> "ESIM":
    """Builds the `ESIM` of an `ESIMConfig` and creates its weights."""
    import keras

    from dsa.models.esim.network import ESIM

    model = ESIM(
        parts.word_embedding(),
        parts.task.outputs,
        units=config.units,
        dropout=config.dropout,
        inverted_dropout=config.inverted_dropout,
        initialization=config.initialization,
        seed=derived_seed(parts.seed, "joint"),
        dtype=parts.dtype,
        name="joint",
    )
    if config.initialization == "released":
        # These initializers draw from a global random sequence, so the initial weights
        # depend on the order of creation. A symbolic call preserves the order in which
        # earlier versions created the weights.
        ids = keras.Input((None,), dtype="int32")
        model({name: ids for name in parts.task.inputs})
    else:
        model.make_weights()
    return model


def build_aesim(config: AESIMConfig, parts: ModelParts) -> "ESIM":
    """Builds the `ESIM` of an `AESIMConfig` and creates its weights."""
    from dsa.models.esim.network import ESIM

    model = ESIM(
        parts.word_embedding(),
        parts.task.outputs,
        units=config.units,
        dropout=config.dropout,
        activation="selu",
        attentive=True,
        share_attention=config.share_attention,
        rescale=config.rescale,
        seed=derived_seed(parts.seed, "joint"),
        dtype=parts.dtype,
        name="joint",
    )
    model.make_weights()
    return model


class BiALSTMConfig(ModelConfig):
    """Settings of `bialstm`: mean pooling of the states of a Bi-aLSTM.

    Reference: Li et al. 2019, section 2.2. The paper does not specify the pooling.
    """

    name: Literal["bialstm"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    share_attention: bool = SHARE_ATTENTION
    rescale: bool = RESCALE
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config: BiALSTMConfig, parts: ModelParts) -> "PooledEncoder":
    """Builds the `PooledEncoder` of a `BiALSTMConfig`."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MeanPooling
    from dsa.models.esim.attentive_bilstm import BiALSTM

    return PooledEncoder(
        pooling=MeanPooling(dtype=parts.dtype, name="mean_pooling"),
        context=BiALSTM(
            config.units,
            share_attention=config.share_attention,
            rescale=config.rescale,
            dtype=parts.dtype,
            name="bialstm",
        ),
        dtype=parts.dtype,
        name="encoder",
    )

"""Settings of ESIM (Chen et al. 2017, arXiv:1609.06038) and aESIM (Li et al. 2019),
pair models, which read both sentences together; and of aESIM's Bi-aLSTM as an encoder
of one sentence. No Keras.

The defaults are the published settings.
"""

from typing import ClassVar, Literal

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig

DROPOUT = (
    "Dropped share of word vectors, projection, pooled features and hidden layer, as "
    "in ESIM's released code."
)
SHARE_ATTENTION = setting(
    False, "One word attention for both directions; the paper leaves it open."
)
RESCALE = setting(
    False,
    "Multiplies the weighted states by the sentence's length; the paper does not.",
)


class PairModelConfig(ModelConfig):
    """What both share."""

    published_units: ClassVar = 300

    units: Units = setting(300, "Units of each LSTM in each direction.")
    dropout: Share = setting(0.5, DROPOUT)


class ESIMConfig(PairModelConfig):
    """`model` for `name: esim`."""

    name: Literal["esim"]
    inverted_dropout: bool = setting(
        True,
        "Whether dropout divides what it keeps by the kept share, as Keras does; "
        "`false` multiplies by it when the model is used, as ESIM's released code.",
    )
    initialization: Literal["keras", "released"] = setting(
        "keras",
        "How weights begin: as Keras's layers, or as in ESIM's released code "
        "(orthogonal square matrices for each gate, no forget bias, else 0.01 N(0,1)).",
    )
    attentive: ClassVar[bool] = False
    activation: ClassVar[str] = "relu"


class AESIMConfig(PairModelConfig):
    """`model` for `name: aesim`: ESIM with word attention."""

    name: Literal["aesim"]
    dropout: Share = setting(0.2, DROPOUT)
    share_attention: bool = SHARE_ATTENTION
    rescale: bool = RESCALE
    attentive: ClassVar[bool] = True
    activation: ClassVar[str] = "selu"


def build_pair_model(config, parts):
    """The `ESIM` of one of these configs, with its weights."""
    import keras

    from dsa.models.esim.network import ESIM

    model = ESIM(
        parts.word_embedding(),
        parts.task.outputs,
        activation=config.activation,
        attentive=config.attentive,
        **parts.options(config, "joint"),
    )
    if getattr(config, "initialization", "keras") == "released":
        # These initializers draw whenever a weight is read: only a call makes the
        # weights that runs of earlier versions began with.
        ids = keras.Input((None,), dtype="int32")
        model({name: ids for name in parts.task.inputs})
    else:
        model.make_weights()
    return model


class BiALSTMConfig(ModelConfig):
    """`model` for `name: bialstm`: the mean of a Bi-aLSTM's states (Li et al. 2019,
    section 2.2). The paper names no pooling."""

    name: Literal["bialstm"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    share_attention: bool = SHARE_ATTENTION
    rescale: bool = RESCALE
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """The `PooledEncoder` of a `BiALSTMConfig`."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MeanPooling
    from dsa.models.esim.attentive_bilstm import BiALSTM

    context = BiALSTM(
        config.units,
        share_attention=config.share_attention,
        rescale=config.rescale,
        dtype=parts.dtype,
        name="bialstm",
    )
    pooling = MeanPooling(dtype=parts.dtype, name="mean_pooling")
    return PooledEncoder(pooling, context, dtype=parts.dtype, name="encoder")

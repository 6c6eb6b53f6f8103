"""Settings of ESIM (Chen et al. 2017, arXiv:1609.06038) and aESIM (Li et al. 2019),
which read both sentences of a pair together, and of aESIM's Bi-aLSTM as a sentence
encoder. No Keras.

The defaults are the published settings.
"""

from typing import ClassVar, Literal

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed

DROPOUT = (
    "Dropout rate of word vectors, projection, pooled features and hidden layer, as "
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
        "Keras does; `false` multiplies by the keep rate at inference, as ESIM's "
        "released code does.",
    )
    initialization: Literal["keras", "released"] = setting(
        "keras",
        "Initial weights: `keras`, or `released` as in ESIM's released code "
        "(orthogonal square matrices for each gate, no forget bias, else 0.01 N(0,1)).",
    )


class AESIMConfig(PairModelConfig):
    """Settings of `aesim`: ESIM with word attention."""

    name: Literal["aesim"]
    dropout: Share = setting(0.2, DROPOUT)
    share_attention: bool = SHARE_ATTENTION
    rescale: bool = RESCALE


def build_esim(config, parts):
    """Returns the `ESIM` of an `ESIMConfig`, with its initial weights."""
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
        # These initializers draw new values whenever a weight is created, so creating
        # the weights in another order than by a call would change the runs.
        ids = keras.Input((None,), dtype="int32")
        model({name: ids for name in parts.task.inputs})
    else:
        model.make_weights()
    return model


def build_aesim(config, parts):
    """Returns the aESIM of an `AESIMConfig`, with its initial weights."""
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
    """Settings of `bialstm`: the mean of a Bi-aLSTM's states (Li et al. 2019,
    section 2.2). The paper names no pooling."""

    name: Literal["bialstm"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    share_attention: bool = SHARE_ATTENTION
    rescale: bool = RESCALE
    classifier: ClassifierConfig = CLASSIFIER


def build_encoder(config, parts):
    """Returns the `PooledEncoder` of a `BiALSTMConfig`."""
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

"""Settings of the sentence encoders that everyone compares with: CBOW, Bi-LSTMs with
pooled states, and the last states of recurrent layers. No Keras."""

from typing import TYPE_CHECKING, Literal

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed

UNITS = "Units of the LSTM in each direction."
LAST_STATE = "Units of the state, which is the sentence vector."
DROPOUT = "Dropped share of the word vectors."


class BaselineConfig(ModelConfig):
    """What they share."""

    classifier: ClassifierConfig = CLASSIFIER


class CBOWConfig(BaselineConfig):
    """`model` for `name: cbow`: the mean of the word vectors, or their sum."""

    name: Literal["cbow"]
    pooling: Literal["mean", "sum"] = setting(
        "mean", "How the word vectors become a sentence vector."
    )
    dropout: Share = setting(0.0, DROPOUT)


class PooledBiLSTMConfig(BaselineConfig):
    """What the Bi-LSTMs share."""

    if TYPE_CHECKING:  # each has its own default
        units: int


class BiLSTMMeanConfig(PooledBiLSTMConfig):
    """`model` for `name: bilstm_mean`: the mean of a Bi-LSTM's states."""

    name: Literal["bilstm_mean"]
    units: Units = setting(300, UNITS)
    dropout: Share = setting(0.1, DROPOUT)


class BiLSTMMaxConfig(PooledBiLSTMConfig):
    """`model` for `name: bilstm_max`: the maximum of a Bi-LSTM's states, feature by
    feature; InferSent (Conneau et al. 2017, arXiv:1705.02364) with 2,048 units."""

    name: Literal["bilstm_max"]
    units: Units = setting(300, UNITS)
    dropout: Share = setting(0.1, DROPOUT)


class BiLSTMInnerConfig(PooledBiLSTMConfig):
    """`model` for `name: bilstm_inner`: a Bi-LSTM whose states are pooled by inner
    attention (Liu et al. 2016)."""

    name: Literal["bilstm_inner"]
    units: Units = setting(300, UNITS)
    dropout: Share = setting(0.1, DROPOUT)


class LastStateConfig(BaselineConfig):
    """What recurrent layers share whose last state is the sentence vector."""

    if TYPE_CHECKING:
        units: int


class LSTMConfig(LastStateConfig):
    """`model` for `name: lstm`: the last state of an LSTM (Bowman et al. 2016)."""

    name: Literal["lstm"]
    units: Units = setting(300, LAST_STATE)
    dropout: Share = setting(0.1, DROPOUT)


class GRUConfig(LastStateConfig):
    """`model` for `name: gru`: the last state of a GRU (Vendrov et al. 2016)."""

    name: Literal["gru"]
    units: Units = setting(1024, LAST_STATE)
    dropout: Share = setting(0.1, DROPOUT)


def build_encoder(config, parts):
    """The `PooledEncoder` of one of these configs."""
    from dsa.layers import pooling
    from dsa.layers.bilstm import BiLSTM
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.word_embedding import WordDropout
    from dsa.models.baselines.recurrent_pooling import InnerAttention, LastState

    name, dtype = config.name, parts.dtype
    seed = derived_seed(derived_seed(parts.seed, "encoder"), "context")
    context, words = None, {"dropout": config.dropout, "seed": seed, "dtype": dtype}
    if name.startswith("bilstm"):
        context = BiLSTM(config.units, **words, name="bilstm")
    elif name == "cbow" and config.dropout:
        context = WordDropout(**words, name="word_dropout")
    if name in ("lstm", "gru"):
        pool = LastState(name, config.units, **words, name="last_state")
    elif name == "bilstm_inner":
        pool = InnerAttention(dtype=dtype, name="inner_attention")
    elif name == "bilstm_max":
        pool = pooling.MaxPooling(dtype=dtype, name="max_pooling")
    elif name == "cbow" and config.pooling == "sum":
        pool = pooling.SumPooling(dtype=dtype, name="sum_pooling")
    else:
        pool = pooling.MeanPooling(dtype=dtype, name="mean_pooling")
    return PooledEncoder(pool, context, dtype=dtype, name="encoder")

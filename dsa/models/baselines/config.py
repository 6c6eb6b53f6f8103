"""Settings of the baseline sentence encoders (CBOW, pooled Bi-LSTMs, and the last state
of an LSTM or GRU), and their construction.

Only `build_encoder` imports Keras.
"""

from typing import TYPE_CHECKING, Literal

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.layers.pooled_encoder import PooledEncoder

UNITS_HELP = "Units of the LSTM in each direction."
LAST_STATE_UNITS_HELP = (
    "Units of the recurrent layer, whose last state is the sentence vector."
)
DROPOUT_HELP = "Dropout rate of the word vectors."


class BaselineConfig(ModelConfig):
    """Settings shared by the baselines."""

    classifier: ClassifierConfig = CLASSIFIER


class CBOWConfig(BaselineConfig):
    """Settings of `cbow`: the mean or the sum of the word vectors."""

    name: Literal["cbow"]
    pooling: Literal["mean", "sum"] = setting(
        "mean", "Operation that pools the word vectors into a sentence vector."
    )
    dropout: Share = setting(0.0, DROPOUT_HELP)


class PooledBiLSTMConfig(BaselineConfig):
    """Settings shared by the pooled Bi-LSTMs."""

    if TYPE_CHECKING:  # each subclass defines the fields with their defaults
        units: int
        dropout: float


class BiLSTMMeanConfig(PooledBiLSTMConfig):
    """Settings of `bilstm_mean`: the mean of a Bi-LSTM's states."""

    name: Literal["bilstm_mean"]
    units: Units = setting(300, UNITS_HELP)
    dropout: Share = setting(0.1, DROPOUT_HELP)


class BiLSTMMaxConfig(PooledBiLSTMConfig):
    """Settings of `bilstm_max`: the maximum of a Bi-LSTM's states, per feature.
    InferSent has 2,048 units in each direction (Conneau et al. 2017,
    arXiv:1705.02364)."""

    name: Literal["bilstm_max"]
    units: Units = setting(300, UNITS_HELP)
    dropout: Share = setting(0.1, DROPOUT_HELP)


class BiLSTMInnerConfig(PooledBiLSTMConfig):
    """Settings of `bilstm_inner`: a Bi-LSTM, then inner attention (Liu et al.
    2016)."""

    name: Literal["bilstm_inner"]
    units: Units = setting(300, UNITS_HELP)
    dropout: Share = setting(0.1, DROPOUT_HELP)


class LastStateConfig(BaselineConfig):
    """Settings shared by `lstm` and `gru`."""

    if TYPE_CHECKING:
        units: int
        dropout: float


class LSTMConfig(LastStateConfig):
    """Settings of `lstm`: the last state of an LSTM (Bowman et al. 2016)."""

    name: Literal["lstm"]
    units: Units = setting(300, LAST_STATE_UNITS_HELP)
    dropout: Share = setting(0.1, DROPOUT_HELP)


class GRUConfig(LastStateConfig):
    """Settings of `gru`: the last state of a GRU (Vendrov et al. 2016)."""

    name: Literal["gru"]
    units: Units = setting(1024, LAST_STATE_UNITS_HELP)
    dropout: Share = setting(0.1, DROPOUT_HELP)


def build_encoder(config: BaselineConfig, parts: ModelParts) -> "PooledEncoder":
    """Builds the `PooledEncoder` of a baseline config.

    Args:
        config: a `BaselineConfig`.
        parts: the `ModelParts`.

    Raises: `ValueError` if `config` has no known pooling layer.
    """
    from dsa.layers.pooled_encoder import PooledEncoder

    encoder_seed = derived_seed(parts.seed, "encoder")
    # at most one of the two layers uses the seed
    seed = derived_seed(encoder_seed, "context")
    return PooledEncoder(
        pooling=_build_pooling(config, seed, parts.dtype),
        context=_build_context(config, seed, parts.dtype),
        dtype=parts.dtype,
        name="encoder",
    )


def _build_context(config, seed, dtype):
    """Builds the layer between word vectors and pooling; returns `None` for an encoder
    without such a layer."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.layers.word_embedding import WordDropout

    if isinstance(config, PooledBiLSTMConfig):
        return BiLSTM(
            config.units,
            dropout=config.dropout,
            seed=seed,
            dtype=dtype,
            name="bilstm",
        )
    if config.name == "cbow" and config.dropout:
        return WordDropout(config.dropout, seed=seed, dtype=dtype, name="word_dropout")
    return None


def _build_pooling(config, seed, dtype):
    """Builds the pooling layer. `LastState` contains the LSTM or GRU, so `lstm` and
    `gru` have no context layer."""
    from dsa.layers.pooling import MaxPooling, MeanPooling, SumPooling
    from dsa.models.baselines.recurrent_pooling import InnerAttention, LastState

    if isinstance(config, LastStateConfig):
        return LastState(
            config.name,
            config.units,
            dropout=config.dropout,
            seed=seed,
            dtype=dtype,
            name="last_state",
        )
    if config.name == "bilstm_inner":
        return InnerAttention(dtype=dtype, name="inner_attention")
    if config.name == "bilstm_max":
        return MaxPooling(dtype=dtype, name="max_pooling")
    if config.name == "bilstm_mean":
        return MeanPooling(dtype=dtype, name="mean_pooling")
    if config.name == "cbow":
        if config.pooling == "sum":
            return SumPooling(dtype=dtype, name="sum_pooling")
        return MeanPooling(dtype=dtype, name="mean_pooling")
    raise ValueError(f"`name` must be a baseline. Received: {config.name}")

"""Settings of the sentence encoders that everyone compares with: CBOW and pooled
Bi-LSTMs. No Keras."""

from typing import Literal

from dsa.config_section import Share, Units, count_bilstm_weights, setting
from dsa.models.classifiers.config import ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed

UNITS = "Units of the LSTM in each direction."
DROPOUT = "Dropped share of the word vectors."


class BaselineConfig(ModelConfig):
    """What they share."""

    classifier: ClassifierConfig = setting(
        ClassifierConfig(), "Settings of the classifier over the encoder."
    )


class CBOWConfig(BaselineConfig):
    """`model` for `name: cbow`: the mean of the word vectors, or their sum."""

    name: Literal["cbow"]
    pooling: Literal["mean", "sum"] = setting(
        "mean", "How the word vectors become a sentence vector."
    )
    dropout: Share = setting(0.0, DROPOUT)

    def count_vector_units(self, units):
        return units


class PooledBiLSTMConfig(BaselineConfig):
    """What the Bi-LSTMs share."""

    def count_weights(self, units):
        return count_bilstm_weights(units, self.units)

    def count_vector_units(self, units):
        return 2 * self.units


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


def build_encoder(config, parts):
    """The `PooledEncoder` of one of these configs."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MaxPooling, MeanPooling, SumPooling
    from dsa.layers.word_dropout import WordDropout

    seed, dtype = derived_seed(parts.seed, "encoder"), parts.dtype
    context = None
    if config.name != "cbow":
        context = BiLSTM(
            config.units,
            config.dropout,
            seed=derived_seed(seed, "context"),
            dtype=dtype,
            name="bilstm",
        )
    elif config.dropout:
        context = WordDropout(
            config.dropout,
            seed=derived_seed(seed, "context"),
            dtype=dtype,
            name="word_dropout",
        )
    if config.name == "bilstm_max":
        pooling = MaxPooling(dtype=dtype, name="max_pooling")
    elif config.name == "cbow" and config.pooling == "sum":
        pooling = SumPooling(dtype=dtype, name="sum_pooling")
    else:
        pooling = MeanPooling(dtype=dtype, name="mean_pooling")
    return PooledEncoder(pooling, context, dtype=dtype, name="encoder")

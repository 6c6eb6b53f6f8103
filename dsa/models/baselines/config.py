"""The sentence encoders that everyone compares with: CBOW and pooled Bi-LSTMs."""

from typing import ClassVar, Literal

from dsa.config_section import Count, Section, Share
from dsa.models.classifiers.config import ClassifierConfig
from dsa.seeds import derived_seed


class BaselineConfig(Section):
    """What they share."""

    classifier: ClassifierConfig = ClassifierConfig()
    layer_norm: ClassVar[bool] = False

    def check_inputs(self, units):
        """Word vectors of any number of features will do."""


class CBOWConfig(BaselineConfig):
    """`model` for `name: cbow`: the mean of the word vectors."""

    name: Literal["cbow"]


class BiLSTMMeanConfig(BaselineConfig):
    """`model` for `name: bilstm_mean`: the mean of a Bi-LSTM's states, of `units` a
    direction. `dropout`: of the word vectors."""

    name: Literal["bilstm_mean"]
    units: Count = 300
    dropout: Share = 0.1


class BiLSTMMaxConfig(BaselineConfig):
    """`model` for `name: bilstm_max`: the maximum of a Bi-LSTM's states, feature by
    feature; InferSent (Conneau et al. 2017, arXiv:1705.02364) with 2,048 units."""

    name: Literal["bilstm_max"]
    units: Count = 300
    dropout: Share = 0.1


def build_encoder(config, seed, dtype):
    """The `PooledEncoder` of one of these configs."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MaxPooling, MeanPooling

    seed = derived_seed(seed, "encoder")
    context = None
    if config.name != "cbow":
        context = BiLSTM(
            config.units,
            config.dropout,
            seed=derived_seed(seed, "context"),
            dtype=dtype,
            name="bilstm",
        )
    if config.name == "bilstm_max":
        pooling = MaxPooling(dtype=dtype, name="max_pooling")
    else:
        pooling = MeanPooling(dtype=dtype, name="mean_pooling")
    return PooledEncoder(pooling, context, dtype=dtype, name="encoder")

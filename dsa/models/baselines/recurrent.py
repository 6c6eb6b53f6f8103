"""Settings of recurrent sentence encoders that tables on SNLI name. No Keras."""

from typing import Literal

from dsa.config_section import Share, Units, count_bilstm_weights, setting
from dsa.models.baselines.config import DROPOUT, UNITS, BaselineConfig
from dsa.seeds import derived_seed

LAST_STATE = "Units of the state, which is the sentence vector."


class LSTMConfig(BaselineConfig):
    """`model` for `name: lstm`: the last state of an LSTM (Bowman et al. 2016)."""

    name: Literal["lstm"]
    units: Units = setting(300, LAST_STATE)
    dropout: Share = setting(0.1, DROPOUT)

    def count_weights(self, units):
        return 4 * self.units * (units + self.units)  # four gates

    def count_vector_units(self, units):
        return self.units


class GRUConfig(BaselineConfig):
    """`model` for `name: gru`: the last state of a GRU (Vendrov et al. 2016)."""

    name: Literal["gru"]
    units: Units = setting(1024, LAST_STATE)
    dropout: Share = setting(0.1, DROPOUT)

    def count_weights(self, units):
        return 3 * self.units * (units + self.units)  # two gates and the state

    def count_vector_units(self, units):
        return self.units


class BiLSTMInnerConfig(BaselineConfig):
    """`model` for `name: bilstm_inner`: a Bi-LSTM whose states are pooled by inner
    attention (Liu et al. 2016)."""

    name: Literal["bilstm_inner"]
    units: Units = setting(300, UNITS)
    dropout: Share = setting(0.1, DROPOUT)

    def count_weights(self, units):
        return count_bilstm_weights(units, self.units)

    def count_vector_units(self, units):
        return 2 * self.units


def build_last_state(config, parts):
    """The `PooledEncoder` of a config with a last state."""
    from dsa.layers.last_state import LastState
    from dsa.layers.pooled_encoder import PooledEncoder

    seed = derived_seed(parts.seed, "encoder")
    pooling = LastState(
        config.name,
        config.units,
        config.dropout,
        seed=derived_seed(seed, "context"),
        dtype=parts.dtype,
        name="last_state",
    )
    return PooledEncoder(pooling, dtype=parts.dtype, name="encoder")


def build_bilstm_inner(config, parts):
    """The `PooledEncoder` of a `BiLSTMInnerConfig`."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.layers.inner_attention import InnerAttention
    from dsa.layers.pooled_encoder import PooledEncoder

    seed = derived_seed(parts.seed, "encoder")
    context = BiLSTM(
        config.units,
        config.dropout,
        seed=derived_seed(seed, "context"),
        dtype=parts.dtype,
        name="bilstm",
    )
    pooling = InnerAttention(dtype=parts.dtype, name="inner_attention")
    return PooledEncoder(pooling, context, dtype=parts.dtype, name="encoder")

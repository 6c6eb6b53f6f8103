"""Settings of the shortcut-stacked encoder (Nie & Bansal 2017, arXiv:1708.02312), the
released residual form as default. No Keras."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed


class ShortcutStackedConfig(ModelConfig):
    """`model` for `name: shortcut_stacked`: Bi-LSTMs one over the other, each of which
    reads the word vectors too, and the maximum of the last one's states."""

    name: Literal["shortcut_stacked"]
    units: Annotated[list[Units], Field(min_length=1, max_length=20)] = setting(
        [600, 600, 600], "Units of each LSTM in each direction, the first one first."
    )
    shortcut: Literal["residual", "concatenate"] = setting(
        "residual",
        "What a Bi-LSTM reads beside the words: the sum of the states of all before "
        "it, or all of them joined.",
    )
    dropout: Share = setting(0.0, "Dropped share of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER

    @model_validator(mode="after")
    def _possible(self):
        if self.shortcut == "residual" and len(set(self.units)) > 1:
            raise ValueError(
                "'shortcut: residual' adds states, so all 'units' must be equal. "
                f"Received: {self.units}"
            )
        return self


def build_encoder(config, parts):
    """The `PooledEncoder` of a `ShortcutStackedConfig`."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MaxPooling
    from dsa.models.shortcut_stacked.stack import ShortcutStack

    stack = ShortcutStack(
        config.units,
        config.shortcut,
        config.dropout,
        seed=derived_seed(parts.seed, "encoder", "words"),
        dtype=parts.dtype,
        name="stack",
    )
    pooling = MaxPooling(dtype=parts.dtype, name="max_pooling")
    return PooledEncoder(pooling, stack, dtype=parts.dtype, name="encoder")

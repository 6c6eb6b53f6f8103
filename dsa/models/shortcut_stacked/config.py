"""Settings of the shortcut-stacked encoder (Nie & Bansal 2017, arXiv:1708.02312). Does
not import Keras.

The defaults are the settings of the released code, with residual shortcuts.
"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from dsa.config_section import Share, Units, setting
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.layers.pooled_encoder import PooledEncoder


class ShortcutStackedConfig(ModelConfig):
    """Settings of `shortcut_stacked`: stacked Bi-LSTMs, then max pooling. The inputs of
    each Bi-LSTM are the word vectors and the states of all earlier Bi-LSTMs."""

    name: Literal["shortcut_stacked"]
    units: Annotated[list[Units], Field(min_length=1, max_length=20)] = setting(
        [600, 600, 600],
        "Number of units per direction of each Bi-LSTM, from the first to the last.",
    )
    shortcut: Literal["residual", "concatenate"] = setting(
        "residual",
        "Combination of the states of all earlier Bi-LSTMs: sum (`residual`) or "
        "concatenation. It is the input of a Bi-LSTM, together with the word vectors.",
    )
    dropout: Share = setting(0.0, "Dropout rate of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER

    @model_validator(mode="after")
    def _check_units(self):
        if self.shortcut == "residual" and len(set(self.units)) > 1:
            raise ValueError(
                "'model.shortcut: residual' adds states, so all 'model.units' must be "
                f"equal. Received: {self.units}"
            )
        return self


def build_encoder(config: ShortcutStackedConfig, parts: ModelParts) -> "PooledEncoder":
    """Builds the encoder, a `PooledEncoder` with a `ShortcutStack` and max pooling."""
    from dsa.layers.pooled_encoder import PooledEncoder
    from dsa.layers.pooling import MaxPooling
    from dsa.models.shortcut_stacked.stack import ShortcutStack

    return PooledEncoder(
        pooling=MaxPooling(dtype=parts.dtype, name="max_pooling"),
        context=ShortcutStack(
            config.units,
            shortcut=config.shortcut,
            dropout=config.dropout,
            seed=derived_seed(parts.seed, "encoder", "words"),
            dtype=parts.dtype,
            name="stack",
        ),
        dtype=parts.dtype,
        name="encoder",
    )

"""Settings of the decomposable attention model (Parikh et al. 2016, arXiv:1606.01933),
a pair model without recurrence. No Keras.

The defaults are the published settings.
"""

from typing import Literal

from dsa.config_section import PositiveNumber, Share, Units, setting
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed


class DecomposableConfig(ModelConfig):
    """Settings of `decomposable`: words are aligned, compared and summed."""

    name: Literal["decomposable"]
    units: Units = setting(
        200, "Features of a projected word vector, and units of every hidden layer."
    )
    intra_attention: bool = setting(
        False, "Whether each token first attends to its own sentence (section 3.4)."
    )
    normalize: bool = setting(
        True, "Whether word vectors are scaled to unit length before the projection."
    )
    dropout: Share = setting(
        0.2, "Dropout rate of the input of every layer of the feed-forward networks."
    )
    initial_deviation: PositiveNumber | None = setting(
        0.01,
        "Standard deviation of the normal distribution of the initial matrices; `null` "
        "for Glorot initialization.",
    )


def build_pair_model(config, parts):
    """Returns the `DecomposableAttention` of a config, with its initial weights."""
    from dsa.models.decomposable.network import DecomposableAttention

    model = DecomposableAttention(
        parts.word_embedding(),
        parts.task.outputs,
        units=config.units,
        intra_attention=config.intra_attention,
        normalize=config.normalize,
        dropout=config.dropout,
        initial_deviation=config.initial_deviation,
        seed=derived_seed(parts.seed, "decomposable"),
        dtype=parts.dtype,
        name="decomposable",
    )
    model.build()
    return model

"""Settings of the decomposable attention model (Parikh et al. 2016, arXiv:1606.01933),
with the published defaults. Does not import Keras."""

from typing import Literal

from dsa.config_section import PositiveNumber, Share, Units, setting
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed


class DecomposableConfig(ModelConfig):
    """Settings of `decomposable`: aligns the words of both sentences, compares the
    aligned words and sums the comparisons."""

    name: Literal["decomposable"]
    units: Units = setting(
        200, "Features of a projected word vector, and units of every hidden layer."
    )
    intra_attention: bool = setting(
        False, "Whether to apply intra-sentence attention (section 3.4)."
    )
    normalize: bool = setting(
        True, "Whether to scale word vectors to unit length before the projection."
    )
    dropout: Share = setting(
        0.2, "Dropout rate of the inputs of all layers of the feed-forward networks."
    )
    initial_deviation: PositiveNumber | None = setting(
        0.01,
        "Standard deviation of the normal initializer of all matrices; `null`: Glorot "
        "uniform initialization.",
    )


def build_pair_model(config, parts):
    """Builds the `DecomposableAttention` of a `DecomposableConfig` and creates its
    weights."""
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

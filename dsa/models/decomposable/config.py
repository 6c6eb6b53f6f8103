"""Settings of the decomposable attention model (Parikh et al. 2016, arXiv:1606.01933),
with the published defaults. Does not import Keras."""

from typing import TYPE_CHECKING, Literal

from dsa.config_section import PositiveNumber, Share, Units, setting
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.models.decomposable.network import DecomposableAttention


class DecomposableConfig(ModelConfig):
    """Settings of `decomposable`: each word is compared with the words of the other
    sentence to which it is aligned, and the comparisons are summed."""

    name: Literal["decomposable"]
    units: Units = setting(
        200, "Number of units of the word projection and of every hidden layer."
    )
    intra_attention: bool = setting(
        False, "Whether to apply intra-sentence attention (section 3.4)."
    )
    normalize: bool = setting(
        True, "Whether to L2-normalize the word vectors before the projection."
    )
    dropout: Share = setting(
        0.2, "Dropout rate of the input of each layer of the feed-forward networks."
    )
    initial_deviation: PositiveNumber | None = setting(
        0.01,
        "Standard deviation of the normal initializer of all matrices; `null` selects "
        "Glorot uniform initialization.",
    )


def build_pair_model(
    config: DecomposableConfig, parts: ModelParts
) -> "DecomposableAttention":
    """Builds the model `DecomposableAttention` with its weights."""
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

"""Settings of BCNN and ABCNN (Yin et al. 2016, TACL 4, arXiv:1512.05193).

The defaults are the settings of ABCNN-2 with one convolution for answer selection
(Table 2). Does not import Keras.
"""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import model_validator

from dsa.config_section import (
    NonNegativeCount,
    NonNegativeNumber,
    PositiveNumber,
    Units,
    setting,
)
from dsa.models.bcnn.stages import list_stages
from dsa.models.classifiers.config import FINAL_CLASSIFIER, FinalClassifier
from dsa.models.model_config import ModelConfig, ModelParts, Stage

if TYPE_CHECKING:
    from dsa.models.bcnn.block import ConvolutionBlock
    from dsa.models.bcnn.network import BCNN


class BCNNBase(ModelConfig):
    """Settings shared by BCNN and the three ABCNNs."""

    published_units: ClassVar = 300

    convolutions: Literal[1, 2] = setting(1, "Number of convolution blocks.")
    width: Units = setting(
        4, "Width of the filters in tokens, and of the pooling windows in columns."
    )
    filters: Units = setting(50, "Number of filters of each block.")
    similarity: list[Literal["cosine", "euclid"]] = setting(
        ["cosine"], "Similarity measures of the two sentence vectors after each block."
    )
    input_pool: Literal["mean", "sum"] = setting(
        "mean", "Pooling of the word vectors for the first comparison."
    )
    pooled_attention: NonNegativeCount = setting(
        0,
        "Number of rows and columns of the grids to which attention matrices are "
        "pooled as additional features; 0 disables these features.",
    )
    share_copies: bool = setting(
        True,
        "Whether the pair without common words (`features.nonoverlap`) shares the "
        "weights of the whole pair.",
    )
    initializer: Literal["authors", "glorot_uniform"] = setting(
        "authors",
        "Initializer of the filters: `authors` for the initializer of the authors' "
        "code, whose range is smaller than the range of `glorot_uniform`.",
    )
    l2: NonNegativeNumber = setting(
        3e-4,
        "Coefficient of the weight decay, which adds `l2` times the sum of squares of "
        "the trained matrices to the loss.",
    )
    diversity: NonNegativeNumber = setting(
        0.0,
        "Coefficient of the diversity penalty `|W W^T - I|^2` of the filters and of "
        "the last layer; 0.01 in the authors' code for SICK.",
    )
    final_classifier: FinalClassifier = setting("logistic", FINAL_CLASSIFIER)
    layerwise: bool = setting(
        True,
        "Whether to train the second block after the first block, which is then "
        "frozen; `false` trains both together. Only for `convolutions: 2`.",
    )
    first: str | None = setting(
        None,
        "Run folder of a model with one convolution that provides the first block; "
        "`null` to train the first block in this run.",
    )
    first_learning_rate: PositiveNumber | None = setting(
        None, "Learning rate of the first block; `null` for `training.learning_rate`."
    )
    first_l2: NonNegativeNumber | None = setting(
        None, "`l2` of the first block; `null` for `model.l2`."
    )
    attends_input: ClassVar[bool] = False
    attends_pooling: ClassVar[bool] = False

    @model_validator(mode="after")
    def _check_settings(self):
        if not self.similarity or len(set(self.similarity)) < len(self.similarity):
            raise ValueError(
                "'model.similarity' must contain 'cosine', 'euclid' or both, without "
                f"duplicates. Received: {self.similarity}"
            )
        if self.first and not self.is_layerwise:
            raise ValueError(
                "'model.first' requires 'model.convolutions: 2' and "
                "'model.layerwise: true'"
            )
        return self

    def check_experiment(self, tokenizer: Any, embedding: Any, training: Any) -> None:
        """Raises `ValueError` for conflicting settings of an experiment.

        Attention on the input requires a maximum sentence length. A frozen first block
        requires frozen word vectors.
        """
        if self.attends_input and tokenizer.max_tokens is None:
            raise ValueError(
                f"'model.name: {self.name}' requires 'tokenizer.max_tokens', because "
                "the model has a weight for each position"
            )
        if self.is_layerwise and (embedding.trainable or embedding.projection):
            raise ValueError(
                "'model.layerwise: true' requires 'embedding.trainable: false' and no "
                "'embedding.projection', because the first block and its word vectors "
                "are frozen"
            )

    @property
    def is_layerwise(self) -> bool:
        """Whether the second block is trained after the first block."""
        return self.convolutions == 2 and self.layerwise

    def stages(self) -> list[Stage]:
        return list_stages(self)


class BCNNConfig(BCNNBase):
    """Settings of `bcnn`."""

    name: Literal["bcnn"]


class AttentivePoolingBase(BCNNBase):
    """Settings shared by ABCNN-2 and ABCNN-3."""

    all_ap: Literal["attended", "plain"] = setting(
        "attended",
        "Pooling to a sentence vector: `attended` is weighted by attention, as in the "
        "authors' code; `plain` is the mean. ABCNN-2 with `plain` and one convolution "
        "equals BCNN.",
    )
    attention_scale: Literal["mean", "sum", "none"] = setting(
        "mean",
        "Scale of the attention weights: with `mean`, equal attention gives BCNN's "
        "pooling; with `sum`, the weights sum to 1, as in the authors' code; with "
        "`none`, the weights are unscaled, as in the paper.",
    )
    attends_pooling: ClassVar[bool] = True


class ABCNN1Config(BCNNBase):
    """Settings of `abcnn1`: attention before the convolution."""

    name: Literal["abcnn1"]
    attends_input: ClassVar[bool] = True


class ABCNN2Config(AttentivePoolingBase):
    """Settings of `abcnn2`: attention on the pooling."""

    name: Literal["abcnn2"]


class ABCNN3Config(AttentivePoolingBase):
    """Settings of `abcnn3`: attention before the convolution and on the
    pooling."""

    name: Literal["abcnn3"]
    attends_input: ClassVar[bool] = True


def build_bcnn(config: BCNNBase, parts: ModelParts) -> "BCNN":
    """Builds the `BCNN` of a `BCNNBase` and creates its weights."""
    from dsa.models.bcnn.network import BCNN, set_diversity_regularizer

    other_blocks = None
    if len(parts.copies) > 1 and not config.share_copies:
        other_blocks = build_blocks(config, parts, prefix="nonoverlap_")
    model = BCNN(
        parts.word_embedding(),
        parts.copies,
        build_blocks(config, parts),
        parts.task.outputs,
        other_blocks=other_blocks,
        similarity=tuple(config.similarity),
        input_pool=config.input_pool,
        pooled_attention=config.pooled_attention,
        features=parts.features,
        classifier=config.final_classifier,
        l2=config.l2,
        dtype=parts.dtype,
        name="bcnn",
    )
    model.build()
    if config.diversity:
        set_diversity_regularizer(model, config.l2, config.diversity)
    return model


def build_blocks(
    config: BCNNBase, parts: ModelParts, prefix: str = ""
) -> "list[ConvolutionBlock]":
    """Builds the `ConvolutionBlock`s of one copy of the pair.

    The names of the blocks are `<prefix>b2` and `<prefix>b3`, as in the paper.
    """
    from dsa.models.bcnn.block import ConvolutionBlock

    all_ap, scale = "attended", "mean"
    if isinstance(config, AttentivePoolingBase):
        all_ap, scale = config.all_ap, config.attention_scale
    blocks = []
    num_features = parts.embedding.output_units
    for number in range(2, config.convolutions + 2):
        block = ConvolutionBlock(
            config.filters,
            config.width,
            max_tokens=parts.max_tokens if config.attends_input else None,
            attends_pooling=config.attends_pooling,
            all_ap=all_ap,
            scale=scale,
            initializer=config.initializer,
            l2=config.l2,
            dtype=parts.dtype,
            name=f"{prefix}b{number}",
        )
        block.build((None, None, num_features))
        blocks.append(block)
        num_features = config.filters
    if config.is_layerwise:
        blocks[0].trainable = False
    return blocks

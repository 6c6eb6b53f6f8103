"""Settings of BCNN and ABCNN (Yin et al. 2016, TACL 4, arXiv:1512.05193). No Keras.

The defaults are the published settings for answer selection.
"""

from typing import ClassVar, Literal

from pydantic import model_validator

from dsa.config_section import (
    Count,
    NonNegativeCount,
    NonNegativeNumber,
    PositiveNumber,
    Units,
    setting,
)
from dsa.models.bcnn.stages import list_stages
from dsa.models.classifiers.config import FINAL_CLASSIFIER, FinalClassifier
from dsa.models.model_config import ModelConfig


class BCNNBase(ModelConfig):
    """What the four models share."""

    published_units: ClassVar = 300

    convolutions: Literal[1, 2] = setting(1, "Convolution blocks.")
    width: Count = setting(4, "Tokens that a filter sees, and columns of w-ap.")
    filters: Units = setting(50, "Filters of each block.")
    similarity: list[Literal["cosine", "euclid"]] = setting(
        ["cosine"], "How the sentences are compared after each block."
    )
    input_pool: Literal["mean", "sum"] = setting(
        "mean", "Word vectors are compared by their mean, or by their sum."
    )
    pooled_attention: NonNegativeCount = setting(
        0,
        "Cells a side of the grids of the attention matrices that become features; 0 "
        "for none.",
    )
    share_copies: bool = setting(
        True,
        "Whether the pair without common words (`features.nonoverlap`) has the "
        "weights of the whole pair.",
    )
    initializer: Literal["authors", "glorot_uniform"] = setting(
        "authors",
        "Initial filters: smaller ones, as in the authors' code, or Glorot's.",
    )
    l2: NonNegativeNumber = setting(
        3e-4,
        "Decay: this times the sum of squares of the trained matrices is added to the "
        "loss.",
    )
    diversity: NonNegativeNumber = setting(
        0.0,
        "The loss has so many times `|W W^T - I|^2` of filters and last layer more, as "
        "in the authors' code for SICK (0.01).",
    )
    final_classifier: FinalClassifier = setting("logistic", FINAL_CLASSIFIER)
    layerwise: bool = setting(
        True,
        "Of two convolutions, the second is trained after the first, which is then "
        "frozen; `false` trains both together.",
    )
    first: str | None = setting(
        None,
        "Run folder of the model with one convolution that gives the first block; "
        "`null` trains one inside this run.",
    )
    first_learning_rate: PositiveNumber | None = setting(
        None, "Learning rate of that training; `null` for this run's."
    )
    first_l2: NonNegativeNumber | None = setting(
        None, "`l2` of that training; `null` for this run's."
    )
    attends_input: ClassVar[bool] = False
    attends_pooling: ClassVar[bool] = False

    @model_validator(mode="after")
    def _possible(self):
        if not self.similarity or len(set(self.similarity)) < len(self.similarity):
            raise ValueError(
                "'similarity' needs 'cosine', 'euclid' or both, each once. "
                f"Received: {self.similarity}"
            )
        if self.first and not self.is_layerwise:
            raise ValueError("'first' is for 'convolutions: 2' and 'layerwise: true'")
        return self

    def check_experiment(self, experiment):
        """Raises: `ValueError` for sentences without a limit where each position has a
        weight, and for trained words below a block that is frozen."""
        if self.attends_input and experiment.tokenizer.max_tokens is None:
            raise ValueError(
                f"'model.name: {self.name}' has a weight for each position, so it "
                "needs 'tokenizer.max_tokens'"
            )
        embedding = experiment.embedding
        if self.is_layerwise and (embedding.trainable or embedding.projection):
            raise ValueError(
                "'model.layerwise' freezes the first block with the words that it "
                "reads: it needs 'embedding.trainable: false' and no "
                "'embedding.projection'"
            )

    @property
    def is_layerwise(self):
        """Whether the first block is trained before the second one."""
        return self.convolutions == 2 and self.layerwise

    def stages(self):
        return list_stages(self)


class BCNNConfig(BCNNBase):
    """`model` for `name: bcnn`."""

    name: Literal["bcnn"]


class AttendsPooling(BCNNBase):
    """What ABCNN-2 and ABCNN-3 share."""

    all_ap: Literal["attended", "plain"] = setting(
        "attended",
        "Whether attention also weights the pooling to a sentence vector, as in the "
        "authors' code; with `plain` and one convolution ABCNN-2 is BCNN.",
    )
    attention_scale: Literal["mean", "sum", "none"] = setting(
        "mean",
        "Size of the attention: equal attention gives BCNN's pooling; shares, as in "
        "the authors' code; or none, as the paper writes it.",
    )
    attends_pooling: ClassVar[bool] = True


class ABCNN1Config(BCNNBase):
    """`model` for `name: abcnn1`: attention before the convolution."""

    name: Literal["abcnn1"]
    attends_input: ClassVar[bool] = True


class ABCNN2Config(AttendsPooling):
    """`model` for `name: abcnn2`: attention on the pooling."""

    name: Literal["abcnn2"]


class ABCNN3Config(AttendsPooling):
    """`model` for `name: abcnn3`: attention before the convolution and on the
    pooling."""

    name: Literal["abcnn3"]
    attends_input: ClassVar[bool] = True


def build_bcnn(config, parts):
    """The `BCNN` of one of these configs, with its weights."""
    from dsa.models.bcnn.block import ConvolutionBlock
    from dsa.models.bcnn.network import BCNN, add_diversity

    options = {"l2": config.l2, "initializer": config.initializer, "dtype": parts.dtype}
    if config.attends_input:
        options["max_tokens"] = parts.max_tokens
    if config.attends_pooling:
        options |= {"attends_pooling": True, "all_ap": config.all_ap}
        options["scale"] = config.attention_scale

    def build_blocks(prefix=""):
        blocks, features = [], parts.embedding.output_units
        for number in range(2, config.convolutions + 2):
            block = ConvolutionBlock(
                config.filters, config.width, name=f"{prefix}b{number}", **options
            )
            block.build((None, None, features))
            blocks.append(block)
            features = config.filters
        if config.is_layerwise:
            blocks[0].trainable = False
        return blocks

    other_blocks = None
    if len(parts.copies) > 1 and not config.share_copies:
        other_blocks = build_blocks("nonoverlap_")
    model = BCNN(
        parts.word_embedding(),
        parts.copies,
        build_blocks(),
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
        add_diversity(model, config.l2, config.diversity)
    return model

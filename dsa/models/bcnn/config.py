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
    """Settings shared by BCNN and the three ABCNNs."""

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
        """Raises `ValueError` for attention on the input without a largest sentence
        length, and for trained word vectors below a frozen block."""
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
        """Whether the first block is trained first and then frozen."""
        return self.convolutions == 2 and self.layerwise

    def stages(self):
        return list_stages(self)


class BCNNConfig(BCNNBase):
    """Settings of `bcnn`."""

    name: Literal["bcnn"]


class AttendsPooling(BCNNBase):
    """Settings shared by ABCNN-2 and ABCNN-3."""

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
    """Settings of `abcnn1`: attention before the convolution."""

    name: Literal["abcnn1"]
    attends_input: ClassVar[bool] = True


class ABCNN2Config(AttendsPooling):
    """Settings of `abcnn2`: attention on the pooling."""

    name: Literal["abcnn2"]


class ABCNN3Config(AttendsPooling):
    """Settings of `abcnn3`: attention before the convolution and on the
    pooling."""

    name: Literal["abcnn3"]
    attends_input: ClassVar[bool] = True


def build_bcnn(config, parts):
    """Returns the `BCNN` of a `BCNNBase`, with its initial weights."""
    from dsa.models.bcnn.network import BCNN, add_diversity

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
        add_diversity(model, config.l2, config.diversity)
    return model


def build_blocks(config, parts, prefix=""):
    """Returns the `ConvolutionBlock`s of one copy of the pair, with initial weights.

    They are named `b2` and `b3`, as in the paper, after the prefix.
    """
    from dsa.models.bcnn.block import ConvolutionBlock

    blocks = []
    features = parts.embedding.output_units
    for number in range(2, config.convolutions + 2):
        block = ConvolutionBlock(
            config.filters,
            config.width,
            max_tokens=parts.max_tokens if config.attends_input else None,
            attends_pooling=config.attends_pooling,
            all_ap=config.all_ap if config.attends_pooling else "attended",
            scale=config.attention_scale if config.attends_pooling else "mean",
            initializer=config.initializer,
            l2=config.l2,
            dtype=parts.dtype,
            name=f"{prefix}b{number}",
        )
        block.build((None, None, features))
        blocks.append(block)
        features = config.filters
    if config.is_layerwise:
        blocks[0].trainable = False
    return blocks

"""Registry of the model families.

The module of a family is imported on first use of its config. This module does not
import Keras; building a model does.
"""

import dataclasses
import importlib
from importlib.metadata import entry_points
from typing import Any, ClassVar

from dsa.models.model_config import ModelConfig, ModelParts


@dataclasses.dataclass(frozen=True)
class Family:
    """A model family, selected by `model.name` in a config.

        Family("new", "dsa.models.new.config", "NewConfig", "build_pair_model")

    Args:
        name: the value of `model.name`.
        module: name of the module of its config, which does not import Keras.
        config_name: name of the config class in this module, a `ModelConfig` with
            `name: Literal["<name>"]`.
        build_name: name of a function in this module that takes the config and
            `ModelParts`. For an encoder, it returns a layer that maps word vectors
            `(B, L, D)` and a mask `(B, L)` to sentence vectors `(B, S)`. For a pair
            model, it returns a model that maps a dictionary of token ids `(B, L)` to
            logits.
        paper: authors and year of the paper.
        encodes: whether the family is a sentence encoder. Encoders support all tasks,
            pair models the classification of pairs.
        reads_features: whether the model takes additional features of a pair, the
            section `features` of the config.

    Attributes:
        trainer: name of the functions that train and load a model of this family.
        weights_file: name of the file of the selected weights in a run folder.
        has_epochs: whether training takes steps over epochs, with a learning curve.
        has_word_vectors: whether the model embeds words.
        members: attributes that a pair model must have.
    """

    trainer: ClassVar[str] = "network"
    weights_file: ClassVar[str] = "best.weights.h5"
    has_epochs: ClassVar[bool] = True
    has_word_vectors: ClassVar[bool] = True
    members: ClassVar[tuple[str, ...]] = ("embedding", "explain")

    name: str
    module: str
    config_name: str
    build_name: str
    paper: str = "-"
    encodes: bool = False
    reads_features: bool = False

    @property
    def config(self) -> type[ModelConfig]:
        """The config class of the family."""
        return self._import(self.config_name)

    def build(self, config: ModelConfig, parts: ModelParts) -> Any:
        """Builds the encoder or the pair model of a config, see `build_name`."""
        return self._import(self.build_name)(config, parts)

    @property
    def is_network(self) -> bool:
        """Whether its models are Keras networks."""
        return self.trainer == "network"

    def accepts(self, task: Any) -> bool:
        """Returns whether the family supports a task."""
        return self.encodes or task.classifies_pairs

    def _import(self, name: str) -> Any:
        return getattr(importlib.import_module(self.module), name)


class LinearFamily(Family):
    """A family of linear classifiers, fitted by scikit-learn."""

    trainer: ClassVar[str] = "linear"
    weights_file: ClassVar[str] = "features.npz"
    has_epochs: ClassVar[bool] = False
    has_word_vectors: ClassVar[bool] = False
    members: ClassVar[tuple[str, ...]] = ()


FAMILIES: dict[str, Family] = {}  # by `model.name`
ENTRY_POINTS = "dsa.models"  # group of the entry points of other packages


def register(family: Family) -> None:
    """Adds a family to `FAMILIES`, so that configs can select it.

    Raises: `ValueError` if the name is registered already.
    """
    if family.name in FAMILIES:
        raise ValueError(f"The model '{family.name}' is registered already.")
    FAMILIES[family.name] = family


def find_family(name: str) -> Family | None:
    """Returns the family with a name, or `None`.

    Searches the registered families, then the entry points `dsa.models` of installed
    packages. A config can therefore select installed code only.
    """
    if name not in FAMILIES:
        for point in entry_points(group=ENTRY_POINTS, name=name):
            register(point.load())
    return FAMILIES.get(name)


def encoder_names() -> list[str]:
    """Returns the names of all sentence encoders."""
    return [name for name, family in FAMILIES.items() if family.encodes]


def build_model(experiment: Any, vocabulary_size: int, frozen_rows: int = 0) -> Any:
    """Builds the untrained model of an experiment, with its weights.

    Args:
        experiment: an `Experiment`.
        vocabulary_size: rows of the embedding table, including padding and unknown.
        frozen_rows: frozen rows at the end of the table, see `WordEmbedding`.

    Returns: a Keras model that maps a batch dictionary to logits, with an embedding
        table of zeros; for a linear family, a model that has not been fitted.

    Raises: `TypeError` if a pair model does not define a required member.
    """
    config, family = experiment.model, experiment.family
    parts = ModelParts(
        task=experiment.task,
        embedding=experiment.embedding,
        vocabulary_size=vocabulary_size,
        seed=experiment.seed,
        dtype=experiment.training.precision,
        frozen_rows=frozen_rows,
        copies=experiment.copies,
        features=experiment.feature_count,
        max_tokens=experiment.tokenizer.max_tokens,
    )
    if family.encodes:
        from dsa.models.classifiers.config import put_on_encoder

        embedding = parts.word_embedding()
        return put_on_encoder(config, parts, embedding, family.build(config, parts))
    model = family.build(config, parts)
    for member in family.members:
        if not hasattr(model, member):
            raise TypeError(
                f"The model '{family.name}' needs the member `{member}`, see "
                "docs/extending.md."
            )
    return model


for family in (
    Family(
        "dsa",
        "dsa.models.dsa.config",
        "DSAConfig",
        "build_encoder",
        "Im & Cho 2017",
        encodes=True,
    ),
    Family(
        "disan",
        "dsa.models.disan.config",
        "DiSANConfig",
        "build_encoder",
        "Shen et al. 2018",
        encodes=True,
    ),
    Family(
        "source2token",
        "dsa.models.disan.config",
        "Source2TokenConfig",
        "build_encoder",
        "Shen et al. 2018",
        encodes=True,
    ),
    Family(
        "additive_attention",
        "dsa.models.disan.config",
        "AdditiveAttentionConfig",
        "build_encoder",
        "Shen et al. 2018",
        encodes=True,
    ),
    Family(
        "multi_head",
        "dsa.models.disan.config",
        "MultiHeadConfig",
        "build_encoder",
        "Shen et al. 2018",
        encodes=True,
    ),
    Family(
        "bilstm",
        "dsa.models.disan.config",
        "BiLSTMConfig",
        "build_encoder",
        "Shen et al. 2018",
        encodes=True,
    ),
    Family(
        "cbow",
        "dsa.models.baselines.config",
        "CBOWConfig",
        "build_encoder",
        "-",
        encodes=True,
    ),
    Family(
        "bilstm_mean",
        "dsa.models.baselines.config",
        "BiLSTMMeanConfig",
        "build_encoder",
        "-",
        encodes=True,
    ),
    Family(
        "bilstm_max",
        "dsa.models.baselines.config",
        "BiLSTMMaxConfig",
        "build_encoder",
        "-",
        encodes=True,
    ),
    Family(
        "lstm",
        "dsa.models.baselines.config",
        "LSTMConfig",
        "build_encoder",
        "-",
        encodes=True,
    ),
    Family(
        "gru",
        "dsa.models.baselines.config",
        "GRUConfig",
        "build_encoder",
        "-",
        encodes=True,
    ),
    Family(
        "bilstm_inner",
        "dsa.models.baselines.config",
        "BiLSTMInnerConfig",
        "build_encoder",
        "Liu et al. 2016",
        encodes=True,
    ),
    Family(
        "bialstm",
        "dsa.models.esim.config",
        "BiALSTMConfig",
        "build_encoder",
        "Li et al. 2019",
        encodes=True,
    ),
    Family(
        "transformer",
        "dsa.models.transformer.config",
        "TransformerConfig",
        "build_encoder",
        "Vaswani et al. 2017",
        encodes=True,
    ),
    Family(
        "swem",
        "dsa.models.swem.config",
        "SWEMConfig",
        "build_encoder",
        "Shen et al. 2018, SWEM",
        encodes=True,
    ),
    Family(
        "shortcut_stacked",
        "dsa.models.shortcut_stacked.config",
        "ShortcutStackedConfig",
        "build_encoder",
        "Nie & Bansal 2017",
        encodes=True,
    ),
    Family(
        "hbmp",
        "dsa.models.hbmp.config",
        "HBMPConfig",
        "build_encoder",
        "Talman et al. 2019",
        encodes=True,
    ),
    Family(
        "self_attentive",
        "dsa.models.self_attentive.config",
        "SelfAttentiveConfig",
        "build_encoder",
        "Lin et al. 2017",
        encodes=True,
    ),
    Family(
        "gated_attention",
        "dsa.models.gated_attention.config",
        "GatedAttentionConfig",
        "build_encoder",
        "Chen et al. 2017, RepEval",
        encodes=True,
    ),
    Family(
        "esim",
        "dsa.models.esim.config",
        "ESIMConfig",
        "build_esim",
        "Chen et al. 2017",
    ),
    Family(
        "aesim",
        "dsa.models.esim.config",
        "AESIMConfig",
        "build_aesim",
        "Li et al. 2019",
    ),
    Family(
        "decomposable",
        "dsa.models.decomposable.config",
        "DecomposableConfig",
        "build_pair_model",
        "Parikh et al. 2016",
    ),
    Family(
        "self_attentive_gated",
        "dsa.models.self_attentive.config",
        "GatedSelfAttentiveConfig",
        "build_gated_model",
        "Lin et al. 2017",
    ),
    Family(
        "bcnn",
        "dsa.models.bcnn.config",
        "BCNNConfig",
        "build_bcnn",
        "Yin et al. 2016",
        reads_features=True,
    ),
    Family(
        "abcnn1",
        "dsa.models.bcnn.config",
        "ABCNN1Config",
        "build_bcnn",
        "Yin et al. 2016",
        reads_features=True,
    ),
    Family(
        "abcnn2",
        "dsa.models.bcnn.config",
        "ABCNN2Config",
        "build_bcnn",
        "Yin et al. 2016",
        reads_features=True,
    ),
    Family(
        "abcnn3",
        "dsa.models.bcnn.config",
        "ABCNN3Config",
        "build_bcnn",
        "Yin et al. 2016",
        reads_features=True,
    ),
    Family(
        "addition",
        "dsa.models.pair_baselines.config",
        "AdditionConfig",
        "build_addition",
        "Yin et al. 2016",
        reads_features=True,
    ),
    Family(
        "alstm",
        "dsa.models.pair_baselines.config",
        "ALSTMConfig",
        "build_alstm",
        "Yin et al. 2016",
        reads_features=True,
    ),
    LinearFamily(
        "pair_features",
        "dsa.models.pair_baselines.config",
        "PairFeaturesConfig",
        "build_pair_features",
        "Yin et al. 2016",
        reads_features=True,
    ),
    LinearFamily(
        "features",
        "dsa.models.features.config",
        "FeaturesConfig",
        "build_classifier",
        "Bowman et al. 2015",
    ),
):
    register(family)

"""The families of models.

A family's module is imported when its config is used for the first time. Importing this
module imports no Keras; building a model does.
"""

import dataclasses
import importlib
from importlib.metadata import entry_points
from typing import Any, ClassVar

from dsa.models.model_config import ModelConfig, ModelParts


@dataclasses.dataclass(frozen=True)
class Family:
    """A model that a config can name.

        Family("new", "dsa.models.new.config", "NewConfig", "build_pair_model")

    Args:
        name: what `model.name` says in a config.
        module: the module of its config, which imports no Keras.
        config_name: the class of its settings there, a `ModelConfig` with
            `name: Literal["<name>"]`.
        build_name: a function there, of the config and `ModelParts`. Of a family that
            encodes: to the encoder, a layer of vectors `(B, L, D)` and a mask `(B, L)`
            to sentence vectors `(B, S)`. Of others: to the whole model, a dictionary of
            token ids `(B, L)` by input to logits.
        paper: whose model it is.
        encodes: whether it has a vector of a single sentence. Such a family works for
            every task; others read the pairs of a classification.
        reads_features: whether it can have further features of a pair (`features`).

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
        """The class of its settings."""
        return self._import(self.config_name)

    def build(self, config: ModelConfig, parts: ModelParts) -> Any:
        """The encoder or the model of a config, see `build_name`."""
        return self._import(self.build_name)(config, parts)

    @property
    def is_network(self) -> bool:
        """Whether its models are Keras networks."""
        return self.trainer == "network"

    def accepts(self, task: Any) -> bool:
        """Whether it works for a task: one that encodes works for all."""
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
ENTRY_POINTS = "dsa.models"  # where other packages name their families


def register(family: Family) -> None:
    """Makes a family known to configs.

    Raises: `ValueError` for a name that another family has.
    """
    if family.name in FAMILIES:
        raise ValueError(f"The model '{family.name}' is registered already.")
    FAMILIES[family.name] = family


def find_family(name: str) -> Family | None:
    """Returns the family that `model.name` says, `None` if there is none.

    A family of another package is registered when it is asked for. The package names
    it in its entry points `dsa.models`, so what a config names is installed code."""
    if name not in FAMILIES:
        for point in entry_points(group=ENTRY_POINTS, name=name):
            register(point.load())
    return FAMILIES.get(name)


def family_of(config: Any) -> Family:
    """The `Family` of a model's config."""
    return FAMILIES[config.name]


def encoder_names() -> list[str]:
    """The names of the families that have a vector of a single sentence."""
    return [name for name, family in FAMILIES.items() if family.encodes]


def build_model(experiment: Any, vocabulary_size: int, frozen_rows: int = 0) -> Any:
    """The model of an experiment with its weights, before training.

    Args:
        experiment: an `Experiment`.
        vocabulary_size: rows of the embedding table, padding and unknown included.
        frozen_rows: rows at the table's end, see `WordEmbedding`.

    Returns: of a network, a Keras model, batch dictionary to logits, with an embedding
        table of zeros; of a linear family, a model that has not been fitted.

    Raises: `TypeError` for a pair model that lacks a member that others call.
    """
    config, family = experiment.model, family_of(experiment.model)
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


PAIRS: dict[str, Any] = {}
ENCODES: dict[str, Any] = {"encodes": True}
READS_FEATURES: dict[str, Any] = {"reads_features": True}


def _register(
    folder: str,
    paper: str,
    build_name: str = "build_encoder",
    kind: dict[str, Any] = ENCODES,
    family_class: type[Family] = Family,
    /,
    **config_names: str,
) -> None:
    """Registers the families of a folder of `dsa.models` that share a `build`: the
    classes of their settings by `model.name`."""
    module = f"dsa.models.{folder}.config"
    for name, config_name in config_names.items():
        register(family_class(name, module, config_name, build_name, paper, **kind))


SHEN = "Shen et al. 2018"
YIN = "Yin et al. 2016"

_register("dsa", "Im & Cho 2017", dsa="DSAConfig")
_register(
    "disan",
    SHEN,
    disan="DiSANConfig",
    source2token="Source2TokenConfig",
    additive_attention="AdditiveAttentionConfig",
    multi_head="MultiHeadConfig",
    bilstm="BiLSTMConfig",
)
_register(
    "baselines",
    "-",
    cbow="CBOWConfig",
    bilstm_mean="BiLSTMMeanConfig",
    bilstm_max="BiLSTMMaxConfig",
    lstm="LSTMConfig",
    gru="GRUConfig",
)
_register("baselines", "Liu et al. 2016", bilstm_inner="BiLSTMInnerConfig")
_register("esim", "Li et al. 2019", bialstm="BiALSTMConfig")
_register("transformer", "Vaswani et al. 2017", transformer="TransformerConfig")
_register("swem", "Shen et al. 2018, SWEM", swem="SWEMConfig")
_register(
    "shortcut_stacked", "Nie & Bansal 2017", shortcut_stacked="ShortcutStackedConfig"
)
_register("hbmp", "Talman et al. 2019", hbmp="HBMPConfig")
_register("self_attentive", "Lin et al. 2017", self_attentive="SelfAttentiveConfig")
_register(
    "gated_attention",
    "Chen et al. 2017, RepEval",
    gated_attention="GatedAttentionConfig",
)
_register("esim", "Chen et al. 2017", "build_esim", PAIRS, esim="ESIMConfig")
_register("esim", "Li et al. 2019", "build_aesim", PAIRS, aesim="AESIMConfig")
_register(
    "decomposable",
    "Parikh et al. 2016",
    "build_pair_model",
    PAIRS,
    decomposable="DecomposableConfig",
)
_register(
    "self_attentive",
    "Lin et al. 2017",
    "build_gated_model",
    PAIRS,
    self_attentive_gated="GatedSelfAttentiveConfig",
)
_register(
    "bcnn",
    YIN,
    "build_bcnn",
    READS_FEATURES,
    bcnn="BCNNConfig",
    abcnn1="ABCNN1Config",
    abcnn2="ABCNN2Config",
    abcnn3="ABCNN3Config",
)
_register(
    "pair_baselines", YIN, "build_addition", READS_FEATURES, addition="AdditionConfig"
)
_register("pair_baselines", YIN, "build_alstm", READS_FEATURES, alstm="ALSTMConfig")
_register(
    "pair_baselines",
    YIN,
    "build_pair_features",
    READS_FEATURES,
    LinearFamily,
    pair_features="PairFeaturesConfig",
)
_register(
    "features",
    "Bowman et al. 2015",
    "build_classifier",
    PAIRS,
    LinearFamily,
    features="FeaturesConfig",
)

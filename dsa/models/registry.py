"""The families of models, one line each.

    register(Family(DSAConfig, build_encoder, "Im & Cho 2017", encodes=True))

Importing this module imports no Keras; building a model does.
"""

import dataclasses
from collections.abc import Callable

from dsa.models.baselines import config as baselines
from dsa.models.bcnn import config as bcnn
from dsa.models.classifiers.config import put_on_encoder
from dsa.models.decomposable import config as decomposable
from dsa.models.disan import config as disan
from dsa.models.dsa import config as dsa
from dsa.models.esim import config as esim
from dsa.models.features import config as features
from dsa.models.gated_attention import config as gated_attention
from dsa.models.hbmp import config as hbmp
from dsa.models.memory import check_size
from dsa.models.pair_baselines import config as pair_baselines
from dsa.models.parts import ModelParts
from dsa.models.self_attentive import config as self_attentive
from dsa.models.shortcut_stacked import config as shortcut_stacked
from dsa.models.swem import config as swem
from dsa.models.transformer import config as transformer


@dataclasses.dataclass(frozen=True)
class Family:
    """A model that a config can name.

    Args:
        config: class of its settings, a `ModelConfig` with `name: Literal["<name>"]`.
        build: a function of the config and `ModelParts`. Of a family that encodes: to
            the encoder, a layer of vectors `(B, L, D)` and a mask `(B, L)` to sentence
            vectors `(B, S)`. Of others: to the whole model, a dictionary of token ids
            `(B, L)` by input to logits.
        paper: whose model it is.
        encodes: whether it has a vector of a single sentence. Such a family works for
            every task; others read the pairs of a classification.
        reads_features: whether it can have further features of a pair (`features`).
        trainer: "network", a Keras model that learns by steps, or "linear", one that
            is fitted at once; see `dsa.training.trainers`.
    """

    config: type
    build: Callable
    paper: str = "-"
    encodes: bool = False
    reads_features: bool = False
    trainer: str = "network"

    @property
    def name(self):
        """What `model.name` says in a config."""
        (name,) = self.config.model_fields["name"].annotation.__args__
        return name

    @property
    def is_network(self):
        """Whether it is a Keras model, with word vectors and epochs."""
        return self.trainer == "network"

    def accepts(self, task):
        """Whether it works for a task: one that encodes works for all."""
        return self.encodes or task.classifies_pairs


FAMILIES = {}  # by `model.name`
_listeners = []


def register(family):
    """Make a family known to configs.

    Raises: `ValueError` for a name that another family has.
    """
    if family.name in FAMILIES:
        raise ValueError(f"The model '{family.name}' is registered already.")
    FAMILIES[family.name] = family
    for listener in _listeners:
        listener()


def when_registered(listener):
    """Call a function without arguments after every further `register`."""
    _listeners.append(listener)


def family_of(config):
    """The `Family` of a model's config."""
    return FAMILIES[config.name]


def encoder_names():
    """The names of the families that have a vector of a single sentence."""
    return [name for name, family in FAMILIES.items() if family.encodes]


def _check_members(family, model):
    """Raises an error for a pair model that lacks a member that others call.

    Raises: `TypeError`.
    """
    for member in ("embedding", "explain"):
        if not hasattr(model, member):
            raise TypeError(
                f"The model '{family.name}' needs the member `{member}`, see "
                "docs/extending.md."
            )


def build_model(experiment, vocabulary_size, frozen_rows=0):
    """The model of an experiment with its weights, before training.

    Args:
        experiment: an `Experiment`.
        vocabulary_size: rows of the embedding table, padding and unknown included.
        frozen_rows: rows at the table's end, see `WordEmbedding`.

    Returns: of a network, a Keras model, batch dictionary to logits, with an embedding
        table of zeros; of a linear family, a model that has not been fitted.

    Raises: `InputError` for a model that is larger than the memory of this machine.
    """
    config, family = experiment.model, family_of(experiment.model)
    check_size(experiment, vocabulary_size)
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
    if not family.encodes:
        model = family.build(config, parts)
        if family.is_network:
            _check_members(family, model)
        return model
    embedding = parts.word_embedding()
    return put_on_encoder(config, parts, embedding, family.build(config, parts))


SHEN = "Shen et al. 2018"
YIN = "Yin et al. 2016"

register(Family(dsa.DSAConfig, dsa.build_encoder, "Im & Cho 2017", encodes=True))
register(Family(disan.DiSANConfig, disan.build_encoder, SHEN, encodes=True))
register(Family(disan.Source2TokenConfig, disan.build_encoder, SHEN, encodes=True))
register(Family(disan.AdditiveAttentionConfig, disan.build_encoder, SHEN, encodes=True))
register(Family(disan.MultiHeadConfig, disan.build_encoder, SHEN, encodes=True))
register(Family(disan.BiLSTMConfig, disan.build_encoder, SHEN, encodes=True))
register(Family(baselines.CBOWConfig, baselines.build_encoder, "-", encodes=True))
register(Family(baselines.BiLSTMMeanConfig, baselines.build_encoder, "-", encodes=True))
register(Family(baselines.BiLSTMMaxConfig, baselines.build_encoder, "-", encodes=True))
register(Family(baselines.LSTMConfig, baselines.build_encoder, "-", encodes=True))
register(Family(baselines.GRUConfig, baselines.build_encoder, "-", encodes=True))
register(
    Family(
        baselines.BiLSTMInnerConfig,
        baselines.build_encoder,
        "Liu et al. 2016",
        encodes=True,
    )
)
register(
    Family(
        esim.BiALSTMConfig,
        esim.build_encoder,
        "Li et al. 2019",
        encodes=True,
    )
)
register(
    Family(
        transformer.TransformerConfig,
        transformer.build_encoder,
        "Vaswani et al. 2017",
        encodes=True,
    )
)
register(
    Family(swem.SWEMConfig, swem.build_encoder, "Shen et al. 2018, SWEM", encodes=True)
)
register(
    Family(
        shortcut_stacked.ShortcutStackedConfig,
        shortcut_stacked.build_encoder,
        "Nie & Bansal 2017",
        encodes=True,
    )
)
register(
    Family(hbmp.HBMPConfig, hbmp.build_encoder, "Talman et al. 2019", encodes=True)
)
register(
    Family(
        self_attentive.SelfAttentiveConfig,
        self_attentive.build_encoder,
        "Lin et al. 2017",
        encodes=True,
    )
)
register(
    Family(
        gated_attention.GatedAttentionConfig,
        gated_attention.build_encoder,
        "Chen et al. 2017, RepEval",
        encodes=True,
    )
)
register(Family(esim.ESIMConfig, esim.build_pair_model, "Chen et al. 2017"))
register(Family(esim.AESIMConfig, esim.build_pair_model, "Li et al. 2019"))
register(
    Family(
        decomposable.DecomposableConfig,
        decomposable.build_pair_model,
        "Parikh et al. 2016",
    )
)
register(
    Family(
        self_attentive.GatedSelfAttentiveConfig,
        self_attentive.build_gated_model,
        "Lin et al. 2017",
    )
)
for _config in (
    bcnn.BCNNConfig,
    bcnn.ABCNN1Config,
    bcnn.ABCNN2Config,
    bcnn.ABCNN3Config,
):
    register(Family(_config, bcnn.build_bcnn, YIN, reads_features=True))
register(
    Family(
        pair_baselines.AdditionConfig,
        pair_baselines.build_addition,
        YIN,
        reads_features=True,
    )
)
register(
    Family(
        pair_baselines.ALSTMConfig,
        pair_baselines.build_alstm,
        YIN,
        reads_features=True,
    )
)
register(
    Family(
        pair_baselines.PairFeaturesConfig,
        pair_baselines.build_pair_features,
        YIN,
        reads_features=True,
        trainer="linear",
    )
)
register(
    Family(
        features.FeaturesConfig,
        features.build_classifier,
        "Bowman et al. 2015",
        trainer="linear",
    )
)

"""Registry of the model families. Does not import Keras."""

from importlib.metadata import entry_points

from dsa.models.family import Family, LinearFamily

FAMILIES: dict[str, Family] = {}  # by `model.name`
ENTRY_POINTS = "dsa.models"  # entry point group for models of other packages


def register(family: Family) -> None:
    """Adds a family to `FAMILIES`, so that configs can select it.

    Raises: `ValueError` if the name is registered already.
    """
    if family.name in FAMILIES:
        raise ValueError(f"The model '{family.name}' is registered already.")
    FAMILIES[family.name] = family


def find_family(name: str) -> Family | None:
    """Returns the family with a name; `None` if it does not exist.

    The registered families are searched first, then the entry points `dsa.models` of
    installed packages. A config can therefore select installed code only.
    """
    if name not in FAMILIES:
        for point in entry_points(group=ENTRY_POINTS, name=name):
            register(point.load())
    return FAMILIES.get(name)


def encoder_names() -> list[str]:
    """Returns the names of all sentence encoders."""
    return [name for name, family in FAMILIES.items() if family.encodes]


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

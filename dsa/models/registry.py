"""Registry of the model families. Does not import Keras."""

from importlib.metadata import entry_points

from dsa.models.family import Family, LinearFamily

FAMILIES: dict[str, Family] = {}  # by `model.name`
ENTRY_POINTS = "dsa.models"  # entry point group of models in other packages


def register(family: Family) -> None:
    """Adds a family to `FAMILIES`, so that configs can select it.

    Raises: `ValueError` if a family with the same name is registered.
    """
    if family.name in FAMILIES:
        raise ValueError(f"The model '{family.name}' is registered already.")
    FAMILIES[family.name] = family


def find_family(name: str) -> Family | None:
    """Returns the family with a name, or `None` if there is no such family.

    Searches the registered families, then the entry points `dsa.models` of installed
    packages. A config can therefore only select installed code.
    """
    if name not in FAMILIES:
        for point in entry_points(group=ENTRY_POINTS, name=name):
            register(point.load())
    return FAMILIES.get(name)


def list_encoder_names() -> list[str]:
    """Returns the names of all sentence encoders."""
    return [name for name, family in FAMILIES.items() if family.encodes]


for family in (
    Family(
        name="dsa",
        module="dsa.models.dsa.config",
        config_name="DSAConfig",
        build_name="build_encoder",
        paper="Im & Cho 2017",
        encodes=True,
    ),
    Family(
        name="disan",
        module="dsa.models.disan.config",
        config_name="DiSANConfig",
        build_name="build_encoder",
        paper="Shen et al. 2018",
        encodes=True,
    ),
    Family(
        name="source2token",
        module="dsa.models.disan.config",
        config_name="Source2TokenConfig",
        build_name="build_encoder",
        paper="Shen et al. 2018",
        encodes=True,
    ),
    Family(
        name="additive_attention",
        module="dsa.models.disan.config",
        config_name="AdditiveAttentionConfig",
        build_name="build_encoder",
        paper="Shen et al. 2018",
        encodes=True,
    ),
    Family(
        name="multi_head",
        module="dsa.models.disan.config",
        config_name="MultiHeadConfig",
        build_name="build_encoder",
        paper="Shen et al. 2018",
        encodes=True,
    ),
    Family(
        name="bilstm",
        module="dsa.models.disan.config",
        config_name="BiLSTMConfig",
        build_name="build_encoder",
        paper="Shen et al. 2018",
        encodes=True,
    ),
    Family(
        name="cbow",
        module="dsa.models.baselines.config",
        config_name="CBOWConfig",
        build_name="build_encoder",
        encodes=True,
    ),
    Family(
        name="bilstm_mean",
        module="dsa.models.baselines.config",
        config_name="BiLSTMMeanConfig",
        build_name="build_encoder",
        encodes=True,
    ),
    Family(
        name="bilstm_max",
        module="dsa.models.baselines.config",
        config_name="BiLSTMMaxConfig",
        build_name="build_encoder",
        encodes=True,
    ),
    Family(
        name="lstm",
        module="dsa.models.baselines.config",
        config_name="LSTMConfig",
        build_name="build_encoder",
        encodes=True,
    ),
    Family(
        name="gru",
        module="dsa.models.baselines.config",
        config_name="GRUConfig",
        build_name="build_encoder",
        encodes=True,
    ),
    Family(
        name="bilstm_inner",
        module="dsa.models.baselines.config",
        config_name="BiLSTMInnerConfig",
        build_name="build_encoder",
        paper="Liu et al. 2016",
        encodes=True,
    ),
    Family(
        name="bialstm",
        module="dsa.models.esim.config",
        config_name="BiALSTMConfig",
        build_name="build_encoder",
        paper="Li et al. 2019",
        encodes=True,
    ),
    Family(
        name="transformer",
        module="dsa.models.transformer.config",
        config_name="TransformerConfig",
        build_name="build_encoder",
        paper="Vaswani et al. 2017",
        encodes=True,
    ),
    Family(
        name="swem",
        module="dsa.models.swem.config",
        config_name="SWEMConfig",
        build_name="build_encoder",
        paper="Shen et al. 2018, SWEM",
        encodes=True,
    ),
    Family(
        name="shortcut_stacked",
        module="dsa.models.shortcut_stacked.config",
        config_name="ShortcutStackedConfig",
        build_name="build_encoder",
        paper="Nie & Bansal 2017",
        encodes=True,
    ),
    Family(
        name="hbmp",
        module="dsa.models.hbmp.config",
        config_name="HBMPConfig",
        build_name="build_encoder",
        paper="Talman et al. 2019",
        encodes=True,
    ),
    Family(
        name="self_attentive",
        module="dsa.models.self_attentive.config",
        config_name="SelfAttentiveConfig",
        build_name="build_encoder",
        paper="Lin et al. 2017",
        encodes=True,
    ),
    Family(
        name="gated_attention",
        module="dsa.models.gated_attention.config",
        config_name="GatedAttentionConfig",
        build_name="build_encoder",
        paper="Chen et al. 2017, RepEval",
        encodes=True,
    ),
    Family(
        name="esim",
        module="dsa.models.esim.config",
        config_name="ESIMConfig",
        build_name="build_esim",
        paper="Chen et al. 2017",
    ),
    Family(
        name="aesim",
        module="dsa.models.esim.config",
        config_name="AESIMConfig",
        build_name="build_aesim",
        paper="Li et al. 2019",
    ),
    Family(
        name="decomposable",
        module="dsa.models.decomposable.config",
        config_name="DecomposableConfig",
        build_name="build_pair_model",
        paper="Parikh et al. 2016",
    ),
    Family(
        name="self_attentive_gated",
        module="dsa.models.self_attentive.config",
        config_name="GatedSelfAttentiveConfig",
        build_name="build_gated_model",
        paper="Lin et al. 2017",
    ),
    Family(
        name="bcnn",
        module="dsa.models.bcnn.config",
        config_name="BCNNConfig",
        build_name="build_bcnn",
        paper="Yin et al. 2016",
        reads_features=True,
        reads_nonoverlap=True,
    ),
    Family(
        name="abcnn1",
        module="dsa.models.bcnn.config",
        config_name="ABCNN1Config",
        build_name="build_bcnn",
        paper="Yin et al. 2016",
        reads_features=True,
        reads_nonoverlap=True,
    ),
    Family(
        name="abcnn2",
        module="dsa.models.bcnn.config",
        config_name="ABCNN2Config",
        build_name="build_bcnn",
        paper="Yin et al. 2016",
        reads_features=True,
        reads_nonoverlap=True,
    ),
    Family(
        name="abcnn3",
        module="dsa.models.bcnn.config",
        config_name="ABCNN3Config",
        build_name="build_bcnn",
        paper="Yin et al. 2016",
        reads_features=True,
        reads_nonoverlap=True,
    ),
    Family(
        name="addition",
        module="dsa.models.pair_baselines.config",
        config_name="AdditionConfig",
        build_name="build_addition",
        paper="Yin et al. 2016",
        reads_features=True,
    ),
    Family(
        name="alstm",
        module="dsa.models.pair_baselines.config",
        config_name="ALSTMConfig",
        build_name="build_alstm",
        paper="Yin et al. 2016",
        reads_features=True,
    ),
    LinearFamily(
        name="pair_features",
        module="dsa.models.pair_baselines.config",
        config_name="PairFeaturesConfig",
        build_name="build_pair_features",
        paper="Yin et al. 2016",
        reads_features=True,
    ),
    LinearFamily(
        name="features",
        module="dsa.models.features.config",
        config_name="FeaturesConfig",
        build_name="build_classifier",
        paper="Bowman et al. 2015",
    ),
):
    register(family)

"""The tables that `reproduce.py` makes, of the papers and of this project."""

import dataclasses

from dsa.errors import InputError
from dsa.papers.published import AESIM, DISAN, DSA
from dsa.papers.table import Measure, Row, Table

NO_VECTORS = {
    "embedding.path": None,
    "embedding.projection": None,
    "embedding.trainable": True,
}
DSA_OPTIMIZER = {
    "training.optimizer": {"name": "adam"},
    "training.learning_rate": 1e-3,
}
DSA_TRAINING = {
    **DSA_OPTIMIZER,
    "training.schedule": {"name": "constant"},
    "training.clip_norm": None,
    "training.batch_size": 64,
    "embedding.trainable": False,
    "model.dropout": 0.1,
}
NO_PROJECTION = {"embedding.projection": None}  # an LSTM takes vectors of any size


BESIDE = "DSA (not in this paper)"
TABLE_5 = "{} (Shen et al. 2018, Table 5)"
ESIM = "ESIM (re-implemented by the authors in Keras)"
FEATURES = ("configs/snli/features.yaml", NO_VECTORS)
UNLEXICALISED = ("configs/snli/features.yaml", {**NO_VECTORS, "model.lexical": False})
BASELINES = {  # of DiSAN's paper, with DiSAN's settings: it names no others for a task
    "Word Embedding with additive attention": {"model.name": "additive_attention"},
    "Word Embedding with s2t self-attention": {"model.name": "source2token"},
    "Multi-head with s2t self-attention": {"model.name": "multi_head"},
    "Bi-LSTM with s2t self-attention": {"model.name": "bilstm"},
    "DiSAN without directions": {"model.directions": False},
}
RELATEDNESS = (("pearson", "pearson_r"), ("spearman", "spearman_rho"), ("mse", "mse"))
BOWMAN = {
    "Unlexicalized features (Bowman et al. 2015)": UNLEXICALISED,
    "+ Unigram and bigram features (Bowman et al. 2015)": FEATURES,
}
TRAIN_AND_TEST = (
    Measure("train", ("train",), "train", compared=False),
    Measure("test", ("test", "dev"), "test"),
)
MULTINLI_TESTS = (
    Measure("matched", ("dev",), "test_matched (Kaggle)"),
    Measure("mismatched", ("dev_mismatched",), "test_mismatched (Kaggle)"),
)


def _paper_table(
    title, corpus, source, configs, measures, dataset=None, folds=None, beside=()
):
    """A paper's table with our configs, some with overrides, by its models' names, and
    rows `beside` them."""
    table = Table(title, corpus, (), measures, source, dataset, folds)
    models = dict.fromkeys(row["model"] for row in table.paper_rows())
    rows = []
    for model in models:
        config = configs.get(model)
        config, overrides = config if isinstance(config, tuple) else (config, {})
        rows.append(Row(model, config, model, overrides))
    return dataclasses.replace(table, rows=(*rows, *beside))


def _task_table(title, corpus, source, dataset, paper_split, folds=None, baselines=()):
    """A table of DiSAN's paper on single sentences, with DSA beside it; `baselines`,
    `{name: overrides}`, are made of DiSAN's config."""
    config = f"configs/{corpus}/disan.yaml"
    baselines = {name: (config, each) for name, each in dict(baselines).items()}
    return _paper_table(
        title,
        corpus,
        source,
        {"DiSAN": config, **baselines},
        (Measure("test", ("test",), paper_split),),
        dataset,
        folds,
        beside=(Row(BESIDE, f"configs/{corpus}/dsa.yaml"),),
    )


TABLES = {
    "dsa-1": _paper_table(
        "SNLI (Im & Cho 2017, Table 1)",
        "snli",
        (DSA, "Table 1"),
        {
            "Our self-attention network (without distance mask)": (
                "configs/snli/dsa_no_distance.yaml"
            ),
            "Our Distance-based Self-Attention Network": "configs/snli/dsa.yaml",
            **BOWMAN,
        },
        TRAIN_AND_TEST,
    ),
    "dsa-2": _paper_table(
        "MultiNLI (Im & Cho 2017, Table 2)",
        "multinli",
        (DSA, "Table 2"),
        {
            "Our Distance-based Self-Attention Network [SNLI mix: no]": (
                "configs/multinli/dsa.yaml"
            )
        },
        MULTINLI_TESTS,
    ),
    "disan-1": _paper_table(
        "SNLI (Shen et al. 2018, Table 1)",
        "snli",
        (DISAN, "Table 1"),
        {
            "Word Embedding with additive attention": (
                "configs/snli/additive_attention.yaml"
            ),
            "Word Embedding with s2t self-attention": "configs/snli/source2token.yaml",
            "Multi-head with s2t self-attention": "configs/snli/multi_head.yaml",
            "Bi-LSTM with s2t self-attention": "configs/snli/bilstm.yaml",
            "DiSAN without directions": "configs/snli/disan_no_directions.yaml",
            "Directional self-attention network (DiSAN)": "configs/snli/disan.yaml",
            **BOWMAN,
        },
        TRAIN_AND_TEST,
    ),
    "disan-2": _task_table(
        "SST-5 (Shen et al. 2018, Table 2)",
        "sst",
        (DISAN, "Table 2"),
        "SST-5 (fine-grained)",
        "test",
        baselines=BASELINES,
    ),
    "disan-3": _paper_table(
        "MultiNLI (Shen et al. 2018, Table 3)",
        "multinli",
        (DISAN, "Table 3"),
        {
            "cBoW": "configs/multinli/cbow.yaml",
            "Bi-LSTM": "configs/multinli/bilstm_mean.yaml",
            "DiSAN": "configs/multinli/disan.yaml",
        },
        MULTINLI_TESTS,
    ),
    "disan-4": _paper_table(
        "SICK relatedness (Shen et al. 2018, Table 4)",
        "sick",
        (DISAN, "Table 4"),
        {"DiSAN": "configs/sick/disan.yaml"},
        tuple(
            Measure(name, ("test",), "test", False, name, paper)
            for name, paper in RELATEDNESS
        ),
        beside=(Row(BESIDE, "configs/sick/dsa.yaml"),),
    ),
    "stsb": Table(
        "STS-B, in none of these papers",
        "stsb",
        (Row("DiSAN", "configs/stsb/disan.yaml"), Row("DSA", "configs/stsb/dsa.yaml")),
        tuple(
            Measure(name, ("test",), None, False, name) for name, _ in RELATEDNESS[:2]
        ),
    ),
    "disan-5-trec": _task_table(
        TABLE_5.format("TREC"),
        "trec",
        (DISAN, "Table 5"),
        "TREC",
        "dev, mean of 5 runs",
    ),
    **{
        f"disan-5-{corpus}": _task_table(
            TABLE_5.format(corpus.upper()),
            corpus,
            (DISAN, "Table 5"),
            corpus.upper(),
            "10-fold CV",
            folds=10,
        )
        for corpus in ("cr", "mpqa", "subj")
    },
    "aesim-2": _paper_table(
        "SNLI (Li et al. 2019, Table 2)",
        "snli",
        (AESIM, "Table 2"),
        {
            "Unlexicalized + Unigram and bigram features": FEATURES,
            "4096D Bi-LSTM with max-pooling (InferSent)": (
                "configs/snli/bilstm_max.yaml",
                {"model.units": 2048},
            ),
            ESIM: ("configs/snli/esim.yaml", NO_PROJECTION),
            "aESIM": ("configs/snli/aesim.yaml", NO_PROJECTION),
        },
        (Measure("test", ("test", "dev"), "test"),),
        beside=(
            Row(
                "600D Bi-LSTM with max-pooling (not in this paper)",
                "configs/snli/bilstm_max.yaml",
            ),
        ),
    ),
    "aesim-3": _paper_table(
        "MultiNLI (Li et al. 2019, Table 3)",
        "multinli",
        (AESIM, "Table 3"),
        {
            "CBOW": "configs/multinli/cbow.yaml",
            "Bi-LSTM": "configs/multinli/bilstm_mean.yaml",
            ESIM: ("configs/multinli/esim.yaml", NO_PROJECTION),
            "aESIM": ("configs/multinli/aesim.yaml", NO_PROJECTION),
        },
        (
            Measure("matched", ("dev",), "matched (split not stated)"),
            Measure("mismatched", ("dev_mismatched",), "mismatched (split not stated)"),
        ),
    ),
    "aesim-4": _paper_table(
        "Quora question pairs (Li et al. 2019, Table 4)",
        "quora",
        (AESIM, "Table 4"),
        {
            ESIM: ("configs/quora/esim.yaml", NO_PROJECTION),
            "aESIM": ("configs/quora/aesim.yaml", NO_PROJECTION),
        },
        (Measure("test", ("test",), "test (split not stated)"),),
    ),
    "snli-models": Table(
        "Models on SNLI, each with its published training unless said",
        "snli",
        (
            Row("DSA", "configs/snli/dsa.yaml"),
            Row("DSA without distance mask", "configs/snli/dsa_no_distance.yaml"),
            Row("DiSAN", "configs/snli/disan.yaml"),
            Row("DiSAN without directions", "configs/snli/disan_no_directions.yaml"),
            Row(
                "DiSAN, DSA's optimizer",
                "configs/snli/disan.yaml",
                overrides=DSA_OPTIMIZER,
            ),
            Row("Bi-LSTM, source2token", "configs/snli/bilstm.yaml"),
            Row("multi-head, source2token", "configs/snli/multi_head.yaml"),
            Row("word vectors, source2token", "configs/snli/source2token.yaml"),
            Row("word vectors, additive", "configs/snli/additive_attention.yaml"),
            Row("ESIM", "configs/snli/esim.yaml", overrides=NO_PROJECTION),
            Row(
                "ESIM, trained as DSA",
                "configs/snli/esim.yaml",
                overrides={**NO_PROJECTION, **DSA_TRAINING},
            ),
            Row("aESIM", "configs/snli/aesim.yaml", overrides=NO_PROJECTION),
            Row(
                "aESIM, rescaled",
                "configs/snli/aesim.yaml",
                overrides={**NO_PROJECTION, "model.rescale": True},
            ),
            Row("Bi-LSTM, max pooling, trained as DSA", "configs/snli/bilstm_max.yaml"),
            Row(
                "Bi-LSTM, mean pooling, trained as DSA", "configs/snli/bilstm_mean.yaml"
            ),
            Row("CBOW, trained as DSA", "configs/snli/cbow.yaml"),
            Row("features", FEATURES[0], overrides=FEATURES[1]),
            Row("unlexicalised features", UNLEXICALISED[0], overrides=UNLEXICALISED[1]),
        ),
        (Measure("dev", ("dev",)),),
    ),
    "dsa-ablations": Table(
        "Ablations of DSA on SNLI",
        "snli",
        (
            Row("alpha 0 (without distance mask)", "configs/snli/dsa_no_distance.yaml"),
            Row("alpha 0.5", "configs/snli/ablations/alpha_0.5.yaml"),
            Row("alpha 1", "configs/snli/ablations/alpha_1.0.yaml"),
            Row("DSA: alpha 1.5, projected gate, both", "configs/snli/dsa.yaml"),
            Row("alpha 2", "configs/snli/ablations/alpha_2.0.yaml"),
            Row("alpha 3", "configs/snli/ablations/alpha_3.0.yaml"),
            Row("gate over raw inputs", "configs/snli/ablations/gate_raw.yaml"),
            Row(
                "source2token pooling alone",
                "configs/snli/ablations/pooling_source2token.yaml",
            ),
            Row("max pooling alone", "configs/snli/ablations/pooling_max.yaml"),
        ),
        (Measure("dev", ("dev",)),),
    ),
}


def table_named(name):
    """Raises: `InputError` for an unknown table."""
    if name not in TABLES:
        raise InputError(f"unknown table '{name}'. Known: {', '.join(TABLES)}")
    return TABLES[name]

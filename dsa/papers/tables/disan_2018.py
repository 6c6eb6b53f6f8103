"""The tables of Shen et al. 2018, "DiSAN: Directional Self-Attention Network for
RNN/CNN-Free Language Understanding" (arXiv:1709.04696)."""

from dsa.papers.headline import Headline
from dsa.papers.published import Source
from dsa.papers.table import (
    PEARSON,
    SPEARMAN,
    SQUARED_ERROR,
    Measure,
    Row,
    Table,
    make_paper_rows,
)
from dsa.papers.tables.shared_rows import (
    BOWMAN,
    MULTINLI_TESTS,
    TRAIN_AND_TEST,
    make_recurrent_rows,
)

PAPER = "DiSAN (Shen et al. 2018)"
SNLI = Source(PAPER, "Table 1")
SST = Source(PAPER, "Table 2", "SST-5 (fine-grained)")
MULTINLI = Source(PAPER, "Table 3")
SICK = Source(PAPER, "Table 4")
DISAN = "Directional self-attention network (DiSAN)"
DSA = "DSA (not in this paper)"

KEPT_SHARES = {  # "from 0.7 to 0.9 with step 0.05", section 5.1
    f"keep probability {1 - drop:.2f}": {
        "model.dropout": drop,
        "model.classifier.dropout": drop,
        "model.classifier.input_dropout": drop,
    }
    for drop in (0.3, 0.25, 0.2, 0.15, 0.1)
}

HEADLINES = (Headline(PAPER, DISAN, SNLI, "models/disan", "snli/disan.yaml"),)


def _make_sentence_table(title, corpus, source, paper_split, folds=None, baselines=()):
    """A table on single sentences, with DiSAN, the paper's `baselines` and DSA."""
    disan = Row("DiSAN", f"configs/{corpus}/disan.yaml")
    dsa = Row(DSA, f"configs/{corpus}/dsa.yaml")
    return Table(
        title=title,
        corpus=corpus,
        rows=(*make_paper_rows(source, disan, *baselines), dsa),
        measures=(Measure("test", ("test",), paper_split),),
        source=source,
        folds=folds,
    )


def _make_table_5(corpus, paper_split, folds=None):
    dataset = corpus.upper()
    return _make_sentence_table(
        f"{dataset} (Shen et al. 2018, Table 5)",
        corpus,
        Source(PAPER, "Table 5", dataset),
        paper_split,
        folds,
    )


TABLES = {
    "disan-1": Table(
        title="SNLI (Shen et al. 2018, Table 1)",
        corpus="snli",
        rows=make_paper_rows(
            SNLI,
            Row(
                "Word Embedding with additive attention",
                "configs/snli/additive_attention.yaml",
            ),
            Row(
                "Word Embedding with s2t self-attention",
                "configs/snli/source2token.yaml",
            ),
            Row(
                "Multi-head with s2t self-attention",
                "configs/snli/multi_head.yaml",
                sweep=KEPT_SHARES,
            ),
            Row("Bi-LSTM with s2t self-attention", "configs/snli/bilstm.yaml"),
            Row("DiSAN without directions", "configs/snli/disan_no_directions.yaml"),
            Row(DISAN, "configs/snli/disan.yaml"),
            *make_recurrent_rows(2016),
            *BOWMAN,
        ),
        measures=TRAIN_AND_TEST,
        source=SNLI,
    ),
    "disan-2": _make_sentence_table(
        "SST-5 (Shen et al. 2018, Table 2)",
        "sst",
        SST,
        "test",
        baselines=[  # with DiSAN's settings: the paper names no others for this task
            Row(name, "configs/sst/disan.yaml", overrides)
            for name, overrides in (
                (
                    "Word Embedding with additive attention",
                    {"model.name": "additive_attention"},
                ),
                (
                    "Word Embedding with s2t self-attention",
                    {"model.name": "source2token"},
                ),
                ("Multi-head with s2t self-attention", {"model.name": "multi_head"}),
                ("Bi-LSTM with s2t self-attention", {"model.name": "bilstm"}),
                ("DiSAN without directions", {"model.directions": False}),
            )
        ],
    ),
    "disan-3": Table(
        title="MultiNLI (Shen et al. 2018, Table 3)",
        corpus="multinli",
        rows=make_paper_rows(
            MULTINLI,
            Row("cBoW", "configs/multinli/cbow_williams.yaml"),
            Row("Bi-LSTM", "configs/multinli/bilstm_williams.yaml"),
            Row("DiSAN", "configs/multinli/disan.yaml"),
        ),
        measures=MULTINLI_TESTS,
        source=MULTINLI,
    ),
    "disan-4": Table(
        title="SICK relatedness (Shen et al. 2018, Table 4)",
        corpus="sick",
        rows=(
            *make_paper_rows(SICK, Row("DiSAN", "configs/sick/disan.yaml")),
            Row(DSA, "configs/sick/dsa.yaml"),
        ),
        measures=tuple(
            Measure(metric.key, ("test",), "test", compared=False, metric=metric)
            for metric in (PEARSON, SPEARMAN, SQUARED_ERROR)
        ),
        source=SICK,
    ),
    "disan-5-trec": _make_table_5("trec", "dev, mean of 5 runs"),
    "disan-5-cr": _make_table_5("cr", "10-fold CV", folds=10),
    "disan-5-mpqa": _make_table_5("mpqa", "10-fold CV", folds=10),
    "disan-5-subj": _make_table_5("subj", "10-fold CV", folds=10),
}

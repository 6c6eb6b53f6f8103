"""The tables of Shen et al. 2018, "DiSAN: Directional Self-Attention Network for
RNN/CNN-Free Language Understanding" (arXiv:1709.04696)."""

from dsa.papers.paper_table import (
    PEARSON,
    SPEARMAN,
    SQUARED_ERROR,
    Measure,
    Row,
    Source,
    Table,
    make_paper_rows,
)
from dsa.papers.table_rows import (
    BOWMAN,
    MULTINLI_TESTS,
    TRAIN_AND_TEST,
    make_recurrent_rows,
    make_rows,
)

PAPER = "DiSAN (Shen et al. 2018)"
SNLI = Source(PAPER, "Table 1")
SST = Source(PAPER, "Table 2", "SST-5 (fine-grained)")
MULTINLI = Source(PAPER, "Table 3")
SICK = Source(PAPER, "Table 4")
DISAN = "Directional self-attention network (DiSAN)"
DSA = "DSA (not in this paper)"
ADDITIVE = "Word Embedding with additive attention"
S2T = "Word Embedding with s2t self-attention"
MULTI_HEAD = "Multi-head with s2t self-attention"
BILSTM = "Bi-LSTM with s2t self-attention"
NO_DIRECTIONS = "DiSAN without directions"

KEPT_SHARES = {  # "from 0.7 to 0.9 with step 0.05", section 5.1
    f"keep probability {1 - drop:.2f}": {
        "model.dropout": drop,
        "model.classifier.dropout": drop,
        "model.classifier.input_dropout": drop,
    }
    for drop in (0.3, 0.25, 0.2, 0.15, 0.1)
}


def _make_sentence_table(title, corpus, source, paper_split, folds=None, baselines=()):
    """A table on single sentences, with DiSAN, the paper's `baselines` and DSA."""
    disan, dsa = make_rows(corpus, ("DiSAN", "disan"), (DSA, "dsa"))
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
    title = f"{dataset} (Shen et al. 2018, Table 5)"
    source = Source(PAPER, "Table 5", dataset)
    return _make_sentence_table(title, corpus, source, paper_split, folds)


TABLES = {
    "disan-1": Table(
        title="SNLI (Shen et al. 2018, Table 1)",
        corpus="snli",
        rows=make_paper_rows(
            SNLI,
            Row(MULTI_HEAD, "configs/snli/multi_head.yaml", sweep=KEPT_SHARES),
            *make_rows(
                "snli",
                (ADDITIVE, "additive_attention"),
                (S2T, "source2token"),
                (BILSTM, "bilstm"),
                (NO_DIRECTIONS, "disan_no_directions"),
                (DISAN, "disan"),
            ),
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
        # with DiSAN's settings: the paper names no others for this task
        baselines=make_rows(
            "sst",
            (ADDITIVE, "disan", {"model.name": "additive_attention"}),
            (S2T, "disan", {"model.name": "source2token"}),
            (MULTI_HEAD, "disan", {"model.name": "multi_head"}),
            (BILSTM, "disan", {"model.name": "bilstm"}),
            (NO_DIRECTIONS, "disan", {"model.directions": False}),
        ),
    ),
    "disan-3": Table(
        title="MultiNLI (Shen et al. 2018, Table 3)",
        corpus="multinli",
        rows=make_paper_rows(
            MULTINLI,
            *make_rows(
                "multinli",
                ("cBoW", "cbow_williams"),
                ("Bi-LSTM", "bilstm_williams"),
                ("DiSAN", "disan"),
            ),
        ),
        measures=MULTINLI_TESTS,
        source=MULTINLI,
    ),
    "disan-4": Table(
        title="SICK relatedness (Shen et al. 2018, Table 4)",
        corpus="sick",
        rows=(
            *make_paper_rows(SICK, *make_rows("sick", ("DiSAN", "disan"))),
            *make_rows("sick", (DSA, "dsa")),
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

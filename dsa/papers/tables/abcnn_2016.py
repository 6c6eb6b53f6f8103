"""The tables of Yin et al. 2016, "ABCNN: Attention-Based Convolutional Neural Network
for Modeling Sentence Pairs" (arXiv:1512.05193)."""

from dsa.papers.published import Source
from dsa.papers.table import (
    ACCURACY,
    F1,
    MAP,
    MRR,
    Measure,
    Row,
    Table,
    make_paper_rows,
)

PAPER = "ABCNN (Yin et al. 2016)"
WIKIQA = Source(PAPER, "Table 3")
MSRP = Source(PAPER, "Table 4")
SICK = Source(PAPER, "Table 6")
NETWORKS = {"BCNN": "bcnn", **{f"ABCNN-{n}": f"abcnn{n}" for n in (1, 2, 3)}}
DEPTHS = {"one-conv": "", "two-conv": "_two"}

HEADLINES = ()  # they are of papers with a number on SNLI


def _make_rows(source, corpus, baselines):
    """The rows of a table: the paper's networks, and baselines `{name: config}`."""
    configs = {
        f"{name} {depth}": f"{config}{suffix}"
        for name, config in NETWORKS.items()
        for depth, suffix in DEPTHS.items()
    }
    return make_paper_rows(
        source,
        *(
            Row(name, f"configs/{corpus}/{config}.yaml")
            for name, config in {**configs, **baselines}.items()
        ),
    )


def _measure(*metrics):
    """Each metric on test, and before it the first one, which selects, on dev."""
    on_dev = Measure(f"dev {metrics[0].key}", ("dev",), metric=metrics[0])
    on_test = (Measure(m.key, ("test",), "test", metric=m) for m in metrics)
    return on_dev, *on_test


TABLES = {
    "abcnn-3": Table(
        title="WikiQA (Yin et al. 2016, Table 3)",
        corpus="wikiqa",
        rows=_make_rows(
            WIKIQA,
            "wikiqa",
            {
                "WordCnt": "word_count",
                "WgtWordCnt": "weighted_word_count",
                "Addition": "addition",
                "Addition(+)": "addition_features",
                "A-LSTM": "alstm",
                "A-LSTM(+)": "alstm_features",
            },
        ),
        measures=_measure(MAP, MRR),
        source=WIKIQA,
        notes=(
            "The paper's networks were chosen on test: its published code evaluates "
            "test after each epoch with three classifiers, reads no dev set, and its "
            "log's highest value is the number of the table. Runs that dev selects end "
            "2 to 6 points of MAP lower.",
            "The paper counts shared words with their case, as far as its published "
            "code shows; with lower-case words more are found, probably why WordCnt "
            "and WgtWordCnt are higher here.",
        ),
    ),
    "abcnn-4": Table(
        title="MSRP (Yin et al. 2016, Table 4)",
        corpus="msrp",
        rows=_make_rows(
            MSRP,
            "msrp",
            {
                "majority voting": "majority",
                "MT (Madnani et al. 2012)": "mt",
                "Addition": "addition",
                "Addition(+)": "addition_features",
                "A-LSTM": "alstm",
                "A-LSTM(+)": "alstm_features",
            },
        ),
        measures=_measure(ACCURACY, F1),
        source=MSRP,
        notes=(
            "The paper's 15 scores of machine translation are not published: ours are "
            "approximated.",
        ),
    ),
    "abcnn-6": Table(
        title="SICK entailment (Yin et al. 2016, Table 6)",
        corpus="sick_entailment",
        rows=_make_rows(
            SICK,
            "sick_entailment",
            {
                "Addition no features": "addition",
                "Addition plus features": "addition_features",
                "A-LSTM no features": "alstm",
                "A-LSTM plus features": "alstm_features",
            },
        ),
        measures=_measure(ACCURACY),
        source=SICK,
        notes=(
            "The paper's corpus is the release with 4,439 / 495 / 4,906 pairs; ours "
            "has SemEval's 4,500 / 500 / 4,927. The paper's scores of machine "
            "translation are not published: ours are approximated.",
        ),
    ),
}

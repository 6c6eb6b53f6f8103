"""The tables of Yin et al. 2016, "ABCNN: Attention-Based Convolutional Neural Network
for Modeling Sentence Pairs" (arXiv:1512.05193)."""

from dsa.papers.paper_table import (
    ACCURACY,
    F1,
    MAP,
    MRR,
    Measure,
    Source,
    Table,
    make_paper_rows,
)
from dsa.papers.table_rows import make_rows

PAPER = "ABCNN (Yin et al. 2016)"
NETWORKS = {"BCNN": "bcnn", **{f"ABCNN-{n}": f"abcnn{n}" for n in (1, 2, 3)}}
DEPTHS = {"one-conv": "", "two-conv": "_two"}


FROZEN = (
    "Parameters of two convolutions leave out the first one, which is trained before "
    "and then frozen."
)


def _make_table(title, number, corpus, features, baselines, metrics, notes):
    """A table with the paper's networks, Addition and A-LSTM without and with features.

    Args:
        title, corpus, notes: see `Table`.
        number: of the table in the paper.
        features: the ends of the names of rows without and with features of the pair.
        baselines: `{name: config}` of further rows.
        metrics: each is measured on test, and the first one, which selects, on dev.
    """
    source = Source(PAPER, f"Table {number}")
    configs = {
        **{
            f"{name} {depth}": f"{config}{suffix}"
            for name, config in NETWORKS.items()
            for depth, suffix in DEPTHS.items()
        },
        **{
            f"{name}{end}": f"{config}{suffix}"
            for name, config in {"Addition": "addition", "A-LSTM": "alstm"}.items()
            for end, suffix in zip(features, ("", "_features"), strict=True)
        },
        **baselines,
    }
    return Table(
        title=f"{title} (Yin et al. 2016, Table {number})",
        corpus=corpus,
        rows=make_paper_rows(source, *make_rows(corpus, *configs.items())),
        measures=(
            Measure(f"dev {metrics[0].key}", ("dev",), metric=metrics[0]),
            *(Measure(m.key, ("test",), "test", metric=m) for m in metrics),
        ),
        source=source,
        notes=(*notes, FROZEN),
    )


TABLES = {
    "abcnn-3": _make_table(
        "WikiQA",
        3,
        "wikiqa",
        ("", "(+)"),
        {"WordCnt": "word_count", "WgtWordCnt": "weighted_word_count"},
        (MAP, MRR),
        (
            "The paper's published code chooses on test: it evaluates test after each "
            "epoch with three classifiers, reads no dev set, and the highest value of "
            "its log, of ABCNN-2, is the number of the table. The runs here are chosen "
            "on dev, have smaller vectors and larger batches, and end 2 to 6 points of "
            "MAP lower; how much of that is the selection is not known.",
            "The paper counts shared words with their case, as far as its published "
            "code shows; with lower-case words more are found, probably why WordCnt "
            "and WgtWordCnt are higher here.",
        ),
    ),
    "abcnn-4": _make_table(
        "MSRP",
        4,
        "msrp",
        ("", "(+)"),
        {"majority voting": "majority", "MT (Madnani et al. 2012)": "mt"},
        (ACCURACY, F1),
        (
            "The paper's 15 scores of machine translation are not published: ours are "
            "approximated.",
        ),
    ),
    "abcnn-6": _make_table(
        "SICK entailment",
        6,
        "sick_entailment",
        (" no features", " plus features"),
        {},
        (ACCURACY,),
        (
            "The paper's corpus is the release with 4,439 / 495 / 4,906 pairs; ours "
            "has SemEval's 4,500 / 500 / 4,927. The paper's scores of machine "
            "translation are not published: ours are approximated.",
        ),
    ),
}

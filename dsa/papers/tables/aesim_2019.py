"""The tables of Li et al. 2019, "Attention Boosted Sequential Inference Model"."""

from dsa.papers.headline import Headline
from dsa.papers.published import Source
from dsa.papers.table import Measure, Row, Table, make_paper_rows
from dsa.papers.tables.shared_rows import FEATURES, NO_PROJECTION

PAPER = "aESIM (Li et al. 2019)"
SNLI = Source(PAPER, "Table 2")
MULTINLI = Source(PAPER, "Table 3")
QUORA = Source(PAPER, "Table 4")
ESIM = "ESIM (re-implemented by the authors in Keras)"

HEADLINES = (
    Headline("ESIM (Chen et al. 2017)", ESIM, SNLI, "models/esim", "snli/esim.yaml"),
    Headline(PAPER, "aESIM", SNLI, "models/aesim", "snli/aesim.yaml"),
)

TABLES = {
    "aesim-2": Table(
        title="SNLI (Li et al. 2019, Table 2)",
        corpus="snli",
        rows=(
            *make_paper_rows(
                SNLI,
                FEATURES.rename("Unlexicalized + Unigram and bigram features"),
                Row(
                    "4096D Bi-LSTM with max-pooling (InferSent)",
                    "configs/snli/bilstm_max.yaml",
                    {"model.units": 2048},
                ),
                Row(ESIM, "configs/snli/esim.yaml", NO_PROJECTION),
                Row("aESIM", "configs/snli/aesim.yaml", NO_PROJECTION),
            ),
            Row(
                "600D Bi-LSTM with max-pooling (not in this paper)",
                "configs/snli/bilstm_max.yaml",
            ),
        ),
        measures=(Measure("test", ("test", "dev"), "test"),),
        source=SNLI,
    ),
    "aesim-3": Table(
        title="MultiNLI (Li et al. 2019, Table 3)",
        corpus="multinli",
        rows=make_paper_rows(
            MULTINLI,
            Row("CBOW", "configs/multinli/cbow.yaml"),
            Row("Bi-LSTM", "configs/multinli/bilstm_mean.yaml"),
            Row(ESIM, "configs/multinli/esim.yaml", NO_PROJECTION),
            Row("aESIM", "configs/multinli/aesim.yaml", NO_PROJECTION),
        ),
        measures=(
            Measure("matched", ("dev",), "matched (split not stated)"),
            Measure("mismatched", ("dev_mismatched",), "mismatched (split not stated)"),
        ),
        source=MULTINLI,
    ),
    "aesim-4": Table(
        title="Quora question pairs (Li et al. 2019, Table 4)",
        corpus="quora",
        rows=make_paper_rows(
            QUORA,
            Row(ESIM, "configs/quora/esim.yaml", NO_PROJECTION),
            Row("aESIM", "configs/quora/aesim.yaml", NO_PROJECTION),
        ),
        measures=(Measure("test", ("test",), "test (split not stated)"),),
        source=QUORA,
    ),
}

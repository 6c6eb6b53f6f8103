"""The tables of Li et al. 2019, "Attention Boosted Sequential Inference Model"."""

from dsa.papers.paper_table import Measure, Source, Table, make_paper_rows
from dsa.papers.table_rows import (
    AS_DSA,
    DSA_TRAINING,
    NO_PROJECTION,
    NO_VECTORS,
    make_rows,
)

PAPER = "aESIM (Li et al. 2019)"
SNLI = Source(PAPER, "Table 2")
MULTINLI = Source(PAPER, "Table 3")
QUORA = Source(PAPER, "Table 4")
FEATURES = "Unlexicalized + Unigram and bigram features"
INFERSENT = "4096D Bi-LSTM with max-pooling (InferSent)"
ESIM = "ESIM (re-implemented by the authors in Keras)"

TWO_TRAININGS = (
    "Li et al. trained ESIM and aESIM themselves and name one list of settings. Here "
    "ESIM has those of its own paper (dropout .5, rate 4e-4, batches of 32 pairs, "
    "gradients cut at 10; on SNLI binary parses) and aESIM those of the list (.2, "
    "5e-4, 128, none). Only 'ESIM, trained as aESIM' beside 'aESIM' compares the "
    "models.",
)


def _make_own_rows(corpus):
    """The two models of the paper."""
    models = (ESIM, "esim", NO_PROJECTION), ("aESIM", "aesim", NO_PROJECTION)
    return make_rows(corpus, *models)


def _make_other_trainings(corpus, *further):
    """ESIM and aESIM with each other's training, and with DSA's; then further rows."""
    return make_rows(
        corpus,
        ("ESIM, trained as aESIM", "aesim", {**NO_PROJECTION, "model.name": "esim"}),
        ("aESIM, trained as DSA", "aesim", {**NO_PROJECTION, **DSA_TRAINING}),
        *further,
    )


TABLES = {
    "aesim-2": Table(
        title="SNLI (Li et al. 2019, Table 2)",
        corpus="snli",
        rows=(
            *make_paper_rows(
                SNLI,
                *make_rows(
                    "snli",
                    (FEATURES, "features", NO_VECTORS),
                    (INFERSENT, "infersent", NO_PROJECTION),
                ),
                *make_rows("snli", ("300D LSTM encoders", "lstm"), stand_in=AS_DSA),
                *_make_own_rows("snli"),
            ),
            *_make_other_trainings(
                "snli",
                ("600D Bi-LSTM with max-pooling (not in this paper)", "bilstm_max"),
            ),
        ),
        measures=(Measure("test", ("test", "dev"), "test"),),
        source=SNLI,
        notes=TWO_TRAININGS,
    ),
    "aesim-3": Table(
        title="MultiNLI (Li et al. 2019, Table 3)",
        corpus="multinli",
        rows=(
            *make_paper_rows(
                MULTINLI,
                *make_rows(
                    "multinli",
                    ("CBOW", "cbow_williams"),
                    ("Bi-LSTM", "bilstm_williams"),
                ),
                *_make_own_rows("multinli"),
            ),
            *_make_other_trainings(
                "multinli", ("CBOW, trained as DSA (not in this paper)", "cbow")
            ),
        ),
        measures=(
            Measure("matched", ("dev",), "matched (split not stated)"),
            Measure("mismatched", ("dev_mismatched",), "mismatched (split not stated)"),
        ),
        source=MULTINLI,
        notes=TWO_TRAININGS,
    ),
    "aesim-4": Table(
        title="Quora question pairs (Li et al. 2019, Table 4)",
        corpus="quora",
        rows=(
            *make_paper_rows(QUORA, *_make_own_rows("quora")),
            *_make_other_trainings("quora"),
        ),
        measures=(Measure("test", ("test",), "test (split not stated)"),),
        source=QUORA,
        notes=TWO_TRAININGS,
    ),
}

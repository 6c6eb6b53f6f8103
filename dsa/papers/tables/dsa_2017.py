"""The tables of Im & Cho 2017, "Distance-based Self-Attention Network for Natural
Language Inference" (arXiv:1712.02047)."""

from dsa.papers.headline import Headline
from dsa.papers.published import Source
from dsa.papers.table import Row, Table, make_paper_rows
from dsa.papers.tables.shared_rows import (
    BOWMAN,
    MULTINLI_TESTS,
    NO_PROJECTION,
    TRAIN_AND_TEST,
    make_recurrent_rows,
)

PAPER = "DSA (Im & Cho 2017)"
DSA = "Our Distance-based Self-Attention Network"
DSA_WITHOUT_DISTANCE = "Our self-attention network (without distance mask)"
SNLI = Source(PAPER, "Table 1")
MULTINLI = Source(PAPER, "Table 2")

HEADLINES = (Headline(PAPER, DSA, SNLI, "snli/dsa_partial", "snli/dsa.yaml"),)

TABLES = {
    "dsa-1": Table(
        title="SNLI (Im & Cho 2017, Table 1)",
        corpus="snli",
        rows=make_paper_rows(
            SNLI,
            Row(DSA_WITHOUT_DISTANCE, "configs/snli/dsa_no_distance.yaml"),
            Row(DSA, "configs/snli/dsa.yaml"),
            Row(
                "600D Directional Self-Attention Network (Shen et al. 2017)",
                "configs/snli/disan.yaml",
            ),
            *make_recurrent_rows(2015),
            *BOWMAN,
        ),
        measures=TRAIN_AND_TEST,
        source=SNLI,
    ),
    "dsa-2": Table(
        title="MultiNLI (Im & Cho 2017, Table 2)",
        corpus="multinli",
        rows=make_paper_rows(
            MULTINLI,
            Row(f"{DSA} [SNLI mix: no]", "configs/multinli/dsa.yaml"),
            Row(
                "Directional Self-Attention Network (Shen et al. 2017) [SNLI mix: no]",
                "configs/multinli/disan.yaml",
            ),
            Row(
                "CBOW (Williams et al. 2017) [SNLI mix: yes]",
                "configs/multinli/cbow_williams.yaml",
            ),
            Row(
                "BiLSTM (Williams et al. 2017) [SNLI mix: yes]",
                "configs/multinli/bilstm_williams.yaml",
            ),
            Row(
                "Shortcut-Stacked BiLSTM encoders (Ni and Bansal 2017) [SNLI mix: yes]",
                "configs/multinli/shortcut_stacked.yaml",
                NO_PROJECTION,
            ),
        ),
        measures=MULTINLI_TESTS,
        source=MULTINLI,
    ),
}

"""The tables of Im & Cho 2017, "Distance-based Self-Attention Network for Natural
Language Inference" (arXiv:1712.02047)."""

from dsa.papers.paper_table import Source, Table, make_paper_rows
from dsa.papers.table_rows import (
    BOWMAN,
    MULTINLI_TESTS,
    NO_PROJECTION,
    TRAIN_AND_TEST,
    make_recurrent_rows,
    make_rows,
)

PAPER = "DSA (Im & Cho 2017)"
DSA = "Our Distance-based Self-Attention Network"
DSA_WITHOUT_DISTANCE = "Our self-attention network (without distance mask)"
SNLI = Source(PAPER, "Table 1")
MULTINLI = Source(PAPER, "Table 2")

TABLES = {
    "dsa-1": Table(
        title="SNLI (Im & Cho 2017, Table 1)",
        corpus="snli",
        rows=make_paper_rows(
            SNLI,
            *make_rows(
                "snli",
                (DSA_WITHOUT_DISTANCE, "dsa_no_distance"),
                (DSA, "dsa"),
                ("600D Directional Self-Attention Network (Shen et al. 2017)", "disan"),
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
            *make_rows(
                "multinli",
                (f"{DSA} [SNLI mix: no]", "dsa"),
                (
                    "Directional Self-Attention Network (Shen et al. 2017) "
                    "[SNLI mix: no]",
                    "disan",
                ),
                ("CBOW (Williams et al. 2017) [SNLI mix: yes]", "cbow_williams"),
                ("BiLSTM (Williams et al. 2017) [SNLI mix: yes]", "bilstm_williams"),
                (
                    "Shortcut-Stacked BiLSTM encoders (Ni and Bansal 2017) "
                    "[SNLI mix: yes]",
                    "shortcut_stacked",
                    NO_PROJECTION,
                ),
            ),
        ),
        measures=MULTINLI_TESTS,
        source=MULTINLI,
    ),
}

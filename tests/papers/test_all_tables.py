import types

import pytest

from dsa.errors import InputError
from dsa.papers.all_tables import (
    FILES,
    TABLES,
    collect_tables,
    list_presets,
    table_named,
)
from dsa.papers.paper_table import (
    ACCURACY,
    Measure,
    Metric,
    Row,
    Source,
    Table,
    make_paper_rows,
)
from dsa.papers.reproduction import plan_runs
from tests.support.runs import write_experiment

DISAN = Source("DiSAN (Shen et al. 2018)", "Table 3")


def test_every_file_of_tables_is_registered():
    assert sum(len(file.TABLES) for file in FILES) == len(TABLES) == 22
    assert table_named("aesim-3") is TABLES["aesim-3"]
    with pytest.raises(InputError, match="unknown table 'dsa-9'. Known: dsa-1, dsa-2"):
        table_named("dsa-9")


def test_two_tables_of_one_name_are_refused():
    file = types.SimpleNamespace(TABLES={"dsa-1": TABLES["dsa-1"]})
    with pytest.raises(ValueError, match="Two tables have the name 'dsa-1'"):
        collect_tables([*FILES, file])


def test_a_further_paper_is_one_file_of_tables():
    table = Table("Another", "snli", (Row("one"),), (Measure("dev", ("dev",)),))
    file = types.SimpleNamespace(TABLES={"another-1": table})
    assert collect_tables([*FILES, file]) == {**TABLES, "another-1": table}


def test_a_paper_has_its_rows_in_its_order_with_our_configs():
    rows = make_paper_rows(DISAN, Row("DiSAN", "a.yaml"), Row("cBoW", "b.yaml"))
    assert [row.name for row in rows] == ["cBoW", "Bi-LSTM", "DiSAN"]
    assert [row.config for row in rows] == ["b.yaml", None, "a.yaml"]
    assert all(row.paper_name == row.name for row in rows)


def test_a_row_that_the_paper_does_not_have_is_refused():
    with pytest.raises(ValueError, match="Table 3. Received: 'DISAN'"):
        make_paper_rows(DISAN, Row("DISAN", "a.yaml"))


def test_a_table_brings_its_own_corpus_metric_and_presets(tmp_path, monkeypatch):
    config = write_experiment(tmp_path)
    table = Table(
        title="Another paper",
        corpus="toy",  # that no preset knows
        rows=(Row("small", str(config)),),
        measures=(Measure("MAP", ("test",), metric=Metric("map", "map", 100)),),
        presets={"tiny": {"training.epochs": 1}},
    )
    monkeypatch.setitem(TABLES, "toy-1", table)
    assert list_presets() == ("full", "small", "partial", "subset40k", "tiny")
    (tiny,) = plan_runs(table, "tiny", [3], tmp_path)
    (full,) = plan_runs(table, "full", [3], tmp_path)
    assert (tiny.experiment.training.epochs, full.experiment.training.epochs) == (1, 2)
    with pytest.raises(InputError, match="'partial' is not for tables on toy. It is"):
        plan_runs(table, "partial", [3], tmp_path)
    with pytest.raises(InputError, match="'tiny' is not for tables on snli.$"):
        plan_runs(TABLES["dsa-1"], "tiny", [3], tmp_path)
    assert Measure("dev", ("dev",)).metric is ACCURACY


NOT_TRAINED_HERE = {  # rows of the papers' tables that no config here can train
    "dsa-1": [
        "300D Tree-based CNN encoders (Mou et al. 2015)",
        "300D SPINN-PI encoders (Bowman et al. 2016)",
        "300D NTI-SLSTM-LSTM encoders (Munkhdalai and Yu 2016b)",
        "300D NSE encoders (Munkhdalai and Yu 2016a)",
        "600D Deep Gated Attn. BiLSTM encoders (Chen et al. 2017)",
    ],
    "dsa-2": [
        "Cha-level Intra-attention BiLSTM encoders (Yang et al. 2017) [SNLI mix: yes]",
        "BiLSTM + enhanced embedding + max pooling (Vu et al. 2017) [SNLI mix: no]",
        "BiLSTM + Inner-attention (Balazs et al. 2017) [SNLI mix: yes]",
        "Deep Gated Attn. BiLSTM encoders (Chen et al. 2017) [SNLI mix: no]",
    ],
    "disan-1": [
        "300D Tree-based CNN encoders (Mou et al. 2016)",
        "300D SPINN-PI encoders (Bowman et al. 2016)",
        "300D NTI-SLSTM-LSTM encoders (Munkhdalai and Yu 2017b)",
        "300D NSE encoders (Munkhdalai and Yu 2017a)",
    ],
    "disan-2": [
        "MV-RNN (Socher et al. 2013)",
        "RNTN (Socher et al. 2013)",
        "Bi-LSTM (Li et al. 2015)",
        "Tree-LSTM (Tai, Socher, and Manning 2015)",
        "CNN-non-static (Kim 2014)",
        "CNN-Tensor (Lei, Barzilay, and Jaakkola 2015)",
        "NCSL (Teng, Vo, and Zhang 2016)",
        "LR-Bi-LSTM (Qian, Huang, and Zhu 2017)",
    ],
    "disan-4": [
        "Meaning Factory (Bjerva et al. 2014)",
        "ECNU (Zhao, Zhu, and Lan 2014)",
        "DT-RNN (Socher et al. 2014)",
        "SDT-RNN (Socher et al. 2014)",
        "Cons. Tree-LSTM (Tai et al. 2015)",
        "Dep. Tree-LSTM (Tai et al. 2015)",
    ],
    **{
        f"disan-5-{corpus}": [
            "cBoW (Mikolov et al. 2013a)",
            "Skip-thought (Kiros et al. 2015)",
            *(["DCNN (Kalchbrenner et al. 2014)"] if corpus == "trec" else []),
            "AdaSent (Zhao et al. 2015)",
            "SRU (Lei and Zhang 2017)",
            "Wide CNNs (Lei and Zhang 2017)",
        ]
        for corpus in ("trec", "cr", "mpqa", "subj")
    },
    "aesim-2": [
        "300D NTI-SLSTM-LSTM encoders",
        "300D Gumbel TreeLSTM encoders",
        "512D Dynamic Meta-Embeddings",
        "100D DF-LSTM",
        "300D LSTMN with deep attention fusion",
        "BiMPM",
    ],
    "aesim-4": [
        "Siamese-CNN",
        "Multi-perspective-CNN",
        "Siamese-LSTM",
        "Multi-Perspective-LSTM",
        "L.D.C",
    ],
    "abcnn-3": ["CNN-Cnt (Yang et al. 2015)"],
    "abcnn-4": [
        "RAE (Socher et al. 2011)",
        "Bi-CNN-MI (Yin and Schuetze 2015a)",
        "MPSSM-CNN (He et al. 2015)",
        "MF-TF-KLD (Ji and Eisenstein 2013)",
    ],
    "abcnn-6": [
        "SemEval: Jimenez et al. 2014",
        "SemEval: Zhao et al. 2014",
        "SemEval: Lai and Hockenmaier 2014",
        "TrRNTN (Bowman et al. 2015b)",
    ],
}


def test_every_other_row_of_a_paper_is_trained_by_a_config():
    missing = {
        name: [row.name for row in table.rows if row.config is None]
        for name, table in TABLES.items()
    }
    assert {name: rows for name, rows in missing.items() if rows} == NOT_TRAINED_HERE

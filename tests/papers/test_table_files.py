import pytest
import yaml

from dsa.data.corpora.catalogue import find_download
from dsa.data.corpora.subsets import SUBSETS
from dsa.data.prepared.views import VIEWS
from dsa.errors import InputError
from dsa.papers.planning import plan_runs
from dsa.papers.presets import load_presets
from dsa.papers.table import METRICS, Measure, Row
from dsa.papers.table_files import (
    build_table,
    find_table,
    list_presets,
    load_tables,
    read_tables,
)
from dsa.system.folders import find_bundled
from tests.support.runs import write_experiment

DISAN = {
    "title": "MultiNLI",
    "corpus": "multinli",
    "source": {"paper": "DiSAN (Shen et al. 2018)", "table": "Table 3"},
    "measures": [{"name": "matched", "splits": ["dev"]}],
}
ANOTHER = {
    "title": "Another paper",
    "corpus": "toy",  # a corpus without presets
    "measures": [{"name": "MAP", "splits": ["test"], "metric": "map"}],
    "presets": {"tiny": {"training.epochs": 1}},
}


def test_a_note_names_the_preset_whose_tokens_are_binary_parses():
    table = find_table("aesim-2")
    tokenizers = {}
    for preset in ("full", "subset40k"):
        plans = plan_runs(table, preset, [13], find_bundled())
        (esim,) = [plan for plan in plans if plan.row.startswith("ESIM (re-")]
        tokenizers[preset] = esim.experiment.tokenizer.name
    assert tokenizers == {"full": "binary_parse", "subset40k": "treebank"}
    assert "in the preset `full` binary parses on SNLI" in " ".join(table.notes)


def test_tables_are_found_by_name():
    assert list(load_tables())[:3] == ["dsa-1", "dsa-2", "disan-1"]
    assert len(load_tables()) == 22
    assert find_table("aesim-3") is load_tables()["aesim-3"]
    with pytest.raises(InputError, match="unknown table 'dsa-9'. Known: dsa-1, dsa-2"):
        find_table("dsa-9")


def test_another_paper_is_one_file_of_rows(tmp_path):
    path = tmp_path / "another.yaml"
    rows = {"one": {"config": "configs/toy/one.yaml"}}
    path.write_text(yaml.safe_dump({"tables": {"toy-1": {**ANOTHER, "rows": rows}}}))
    (table,) = read_tables([path]).values()
    assert table.rows == (Row("one", "configs/toy/one.yaml"),)
    assert table.measures == (Measure("MAP", ("test",), metric=METRICS["map"]),)
    with pytest.raises(ValueError, match="another.yaml: two tables .* name 'toy-1'"):
        read_tables([path, path])


def test_a_row_that_is_defined_twice_is_an_error(tmp_path):
    path = tmp_path / "another.yaml"
    path.write_text("tables: {toy-1: {rows: {one: {}, one: {}}}}")
    with pytest.raises(InputError, match="another.yaml, line 1: key 'one' is given"):
        read_tables([path])


def test_rows_of_a_paper_are_in_its_order_before_other_rows():
    rows = {"DiSAN": {"config": "a.yaml"}, "cBoW": {"config": "b.yaml"}}
    table = build_table({**DISAN, "paper_rows": rows, "rows": {"DSA": {}}})
    assert [row.name for row in table.rows] == ["cBoW", "Bi-LSTM", "DiSAN", "DSA"]
    assert [row.config for row in table.rows] == ["b.yaml", None, "a.yaml", None]
    assert [row.in_paper for row in table.rows] == [True, True, True, False]


def test_a_row_that_the_paper_lacks_raises():
    rows = {"DISAN": {"config": "a.yaml"}}
    with pytest.raises(ValueError, match="Table 3. Received: 'DISAN'"):
        build_table({**DISAN, "paper_rows": rows})


def test_rows_of_a_paper_require_the_table_of_the_paper():
    with pytest.raises(ValueError, match="`paper_rows` requires `source`. Received: o"):
        build_table({**ANOTHER, "paper_rows": {"one": {"config": "a.yaml"}}})


def test_a_table_can_have_its_own_corpus_metric_and_presets(tmp_path, monkeypatch):
    config = str(write_experiment(tmp_path))
    table = build_table({**ANOTHER, "rows": {"small": {"config": config}}})
    monkeypatch.setitem(load_tables(), "toy-1", table)
    assert list_presets() == ("full", *load_presets(), "tiny")
    (tiny,) = plan_runs(table, "tiny", [3], tmp_path)
    (full,) = plan_runs(table, "full", [3], tmp_path)
    assert (tiny.experiment.training.epochs, full.experiment.training.epochs) == (1, 2)
    with pytest.raises(InputError, match="'partial' does not support toy. It supp"):
        plan_runs(table, "partial", [3], tmp_path)
    with pytest.raises(InputError, match="'tiny' does not support snli.$"):
        plan_runs(find_table("dsa-1"), "tiny", [3], tmp_path)


def test_the_files_of_presets_can_be_extracted_or_downloaded():
    files = {subset.file for subset in SUBSETS.values()}
    for corpora in load_presets().values():
        for overrides in corpora.values():
            vectors = overrides["embedding.path"]
            assert vectors in files or find_download(vectors)
    for preset in ("partial", "subset40k", "subset141k", "subset141k_glove"):
        assert load_presets()[preset]["snli"]["data.train"] in files
    assert load_presets()["subset141k"]["multinli"]["data.train"] in files


def test_each_view_of_training_has_a_row():
    views = [row.overrides.get("data.view") for row in find_table("snli-views").rows]
    assert views == 2 * [None, *VIEWS]


NOT_IMPLEMENTED = {  # rows of the papers' tables without a config
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


def test_every_other_row_of_a_paper_has_a_config():
    missing = {
        name: [row.name for row in table.rows if row.config is None]
        for name, table in load_tables().items()
    }
    assert {name: rows for name, rows in missing.items() if rows} == NOT_IMPLEMENTED

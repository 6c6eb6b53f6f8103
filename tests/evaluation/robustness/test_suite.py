"""The robustness suite, with a model that returns given logits."""

import json
import types

import numpy as np
import pytest

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import draw_robustness
from dsa.data.corpora.catalogue import CORPORA, NLI, TWO_WAY_NLI
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.prepared.views import View
from dsa.data.rows.row_reader import RowReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.evaluation.robustness.evaluate_suite import (
    evaluate_suite,
    list_sets,
    write_suite,
)
from dsa.evaluation.robustness.robustness_table import list_points
from dsa.runs.outputs import OutputFolder
from dsa.runs.run_folder import RunFolder
from dsa.tasks.classification import Classification
from tests.support.corpora import rows, write_jsonl

SETS = list_sets()
BY_NAME = {one.name: one for one in SETS}


def test_names_and_files_are_distinct_and_downloadable():
    assert len(BY_NAME) == len({one.file for one in SETS}) == len(SETS) == 27
    for one in SETS:
        assert one.corpus.downloads and one.corpus.licence
        assert one.corpus.task in (NLI, TWO_WAY_NLI)
        assert one.title.isprintable() and one.file


def test_official_rows_are_those_of_the_corpus():
    counts = {one.name: one.official_rows for one in SETS if one.official_rows}
    assert counts == {
        "snli_hard": 3_261,
        "breaking_nli": 8_193,
        "hans": 30_000,
        "scitail": 2_126,
        "xnli_en": 5_010,
    }


# of entailment, neutral and contradiction
ENTAILMENT = np.log([0.6, 0.3, 0.1]).astype(np.float32)
CONTRADICTION = np.log([0.1, 0.2, 0.7]).astype(np.float32)


class FakeInference:
    """Predicts entailment if premise and hypothesis start with the same word."""

    def logits(self, rows):
        first = rows.sentences.ids[rows.sentences.offsets[:-1]]
        same = first[rows.sentence_indices[:, 0]] == first[rows.sentence_indices[:, 1]]
        return np.where(same[:, None], ENTAILMENT, CONTRADICTION)


def fake_model(run, tokenizer="treebank"):
    """As much of a `TrainedModel` as the suite uses; its words are a, man and the."""
    run.mkdir(exist_ok=True)
    folder = RunFolder(run)
    folder.write_json("environment.json", {"run_format": 1, "sha256": {}})
    model = types.SimpleNamespace(
        run=folder,
        task=NLI,
        experiment=types.SimpleNamespace(
            data=types.SimpleNamespace(file=lambda split: f"{split}.jsonl"),
            model=types.SimpleNamespace(name="fake"),
            seed=13,
        ),
        tokenizer=Tokenizer(tokenizer, lowercase=True),
        vocabulary=Vocabulary(["a", "man", "the", "two", "it"]),
        reader=RowReader(NLI.inputs),
        inference=FakeInference(),
        lookup=None,
        words_asked=[],
    )
    model.with_words = lambda words: (model.words_asked.append([*words]), model)[1]
    model.with_words_of = lambda prepared: model
    model.experiment.view = View()
    return model


HANS = "\n".join(
    "\t".join(fields)
    for fields in [
        ["gold_label", "sentence1_binary_parse", "sentence2_binary_parse"]
        + ["sentence1", "sentence2", "pairID", "heuristic"],
        ["entailment", "( a b )", "( a c )", "A b", "A c", "ex0", "subsequence"],
        ["non-entailment", "( a b )", "( a d )", "A b", "A d", "ex1", "subsequence"],
        [
            "non-entailment",
            "( a b )",
            "( the d )",
            "A b",
            "The d",
            "ex2",
            "constituent",
        ],
    ]
)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A data root with HANS of three rows, one file of CAD, and a stress test."""
    official = CORPORA["hans"].official_rows
    monkeypatch.setitem(official, "heuristics_evaluation_set.txt", 3)
    folder = tmp_path / "data"
    for name, text in (
        ("hans/heuristics_evaluation_set.txt", HANS),
        (
            "cad/revised_premise/test.tsv",
            "sentence1\tsentence2\tgold_label\nThe man\tThe dog\t-\n"
            "A man\tA cat\tentailment\nA man\tThe dog\tneutral\n",
        ),
    ):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    write_jsonl(folder / f"{BY_NAME['stress_numbers'].file}.gz", rows(4))
    return folder


def test_the_sets_that_are_there_are_evaluated_and_recorded(tmp_path, root):
    model = fake_model(tmp_path / "run")
    results, missing = evaluate_suite(model, root)
    assert [one.name for one, _ in results] == [
        "hans",
        "stress_numbers",
        "cad_revised_premise",
    ]
    assert len(missing) == len(SETS) - 3
    entries = model.run.metrics()
    assert [entry for _, entry in results] == entries
    assert len(model.words_asked) == 1  # the vector file is read once
    hans, stress, cad = entries
    assert (hans["split"], hans["suite"]) == ("robustness: hans", "robustness")
    assert hans["file"] == "hans/heuristics_evaluation_set.txt"
    assert (hans["rows"], hans["unlabelled"], hans["licence"]) == (3, 0, "MIT")
    assert hans["accuracy"] == hans["argmax"]["accuracy"] == pytest.approx(2 / 3)
    parts = hans["by_group_and_label"]["subsequence"]
    assert parts["entailment"]["accuracy"] == 1
    assert parts["non-entailment"]["accuracy"] == 0
    assert (cad["rows"], cad["unlabelled"], cad["count"]) == (3, 1, 2)
    assert cad["accuracy"] == 0.5  # contradiction, not neutral
    assert stress["count"] == 4 and "argmax" not in stress
    assert hans["sha256"] and hans["date"] and hans["shared_with_train"] is None


def test_a_model_with_another_order_of_labels_has_the_same_accuracies(tmp_path, root):
    model, other = (fake_model(tmp_path / name) for name in ("run", "other"))
    labels = ("neutral", "contradiction", "entailment")
    other.task = Classification("own", NLI.inputs, labels)
    columns = [NLI.labels.index(label) for label in labels]
    compute = other.inference.logits
    other.inference.logits = lambda *rows: compute(*rows)[:, columns]
    results = [evaluate_suite(each, root)[0] for each in (model, other)]
    expected, found = ([entry["accuracy"] for _, entry in each] for each in results)
    assert found == expected


def test_nothing_is_recorded_if_that_is_wanted(tmp_path, root):
    model = fake_model(tmp_path / "run")
    evaluate_suite(model, root, record=False)
    assert model.run.metrics() == []


def test_a_malformed_set_stops_before_anything_is_recorded(tmp_path, root):
    (root / "cad/revised_premise/test.tsv").write_text("a\tb\tc\n1\t2\t3\n")
    model = fake_model(tmp_path / "run")
    with pytest.raises(InputError, match="test.tsv, row 1: 'sentence1'"):
        evaluate_suite(model, root)
    assert model.run.metrics() == []


def test_a_set_without_labels_stops_before_anything_is_recorded(tmp_path, root):
    path = root / "cad/revised_premise/test.tsv"
    header, *rows = path.read_text().splitlines()
    unlabelled = [row.rpartition("\t")[0] + "\t-" for row in rows]
    path.write_text("\n".join([header, *unlabelled]) + "\n")
    model = fake_model(tmp_path / "run")
    with pytest.raises(InputError, match="cad/.*test.tsv: no row has a label"):
        evaluate_suite(model, root)
    assert model.run.metrics() == []


def test_a_run_on_parses_reads_sets_without_good_ones_as_raw_text(
    tmp_path, root, caplog
):
    model = fake_model(tmp_path / "run", "binary_parse")
    results, _ = evaluate_suite(model, root)
    assert len(results) == 3 and results[0][1]["count"] == 3
    assert "raw text has no parse" in caplog.text


def test_the_table_lists_groups_and_instructions_for_missing_sets(tmp_path, root):
    model = fake_model(tmp_path / "run")
    text = str(evaluate_suite(model, root))
    lines = text.splitlines()
    assert lines[0].startswith("| set | rows | accuracy | 95 % interval | by argmax |")
    assert lines[2] == "| HANS | 3 | 66.67 | 20.77-93.85 | 66.67 | 66.67 | MIT |"
    assert lines[3] == "| - constituent, entailment | 0 | - | | - | | |"
    assert lines[5] == "| - subsequence, entailment | 1 | 100.00 | | 100.00 | | |"
    assert lines[7].startswith("| stress: numbers | 4 | 0.00 | 0.00-48.99 | | 50.00 |")
    missing = lines.index("Not evaluated because of missing files:")
    assert lines[missing + 2] == (
        "- SNLI-hard (3,261 rows): CC BY-SA 4.0; `dsa download snli_hard` (prints "
        "the steps); file: snli_hard/snli_1.0_test_hard.jsonl"
    )
    assert "(downloads it); file: XNLI-1.0/xnli.test.tsv" in text


def test_table_and_figure_are_files(tmp_path, root):
    model = fake_model(tmp_path / "run")
    evaluated = evaluate_suite(model, root)
    output = OutputFolder(tmp_path / "out")
    text = write_suite(model, evaluated, output, FigureFiles("svg"))
    assert (tmp_path / "out/robustness.md").read_text() == text
    assert "HANS (n = 3)" in (tmp_path / "out/robustness.svg").read_text()
    with pytest.raises(InputError, match="--force replaces it"):
        write_suite(model, evaluated, output, FigureFiles("svg"))


def test_without_any_file_only_the_missing_sets_are_listed(tmp_path):
    model = fake_model(tmp_path / "run")
    suite = evaluate_suite(model, tmp_path)
    assert suite.results == [] and suite.missing == [*SETS] and suite.entries == {}
    text = write_suite(model, suite, OutputFolder(tmp_path / "out"))
    assert text.startswith("Not evaluated because of missing files:")
    assert text == repr(suite) == suite._repr_markdown_()
    assert not (tmp_path / "out").exists() and model.run.metrics() == []


def test_the_figure_has_a_place_for_each_set_and_marks_for_two_labels(tmp_path, root):
    results, _ = evaluate_suite(fake_model(tmp_path / "run"), root)
    points = list_points(results)
    (axes,) = draw_robustness(points, "a $ title").axes
    assert [text.get_text() for text in axes.get_yticklabels()][0] == "HANS (n = 3)"
    diamonds = [line for line in axes.lines if line.get_marker() == "D"]
    assert [len(line.get_xdata()) for line in diamonds] == [1]


def test_the_suite_in_a_view_has_separate_names_and_files(tmp_path, root):
    model = fake_model(tmp_path / "run")
    view = View("hypothesis_only")
    suite = evaluate_suite(model, root, view=view)
    hans = suite.entries["hans"]
    assert hans["split"] == "robustness: hans (hypothesis_only)"
    assert hans["view"] == "hypothesis_only"
    # no premise starts with its hypothesis, so the fake never predicts entailment
    assert hans["accuracy"] == pytest.approx(2 / 3)
    assert hans["by_group_and_label"]["subsequence"]["entailment"]["accuracy"] == 0
    text = write_suite(model, suite, OutputFolder(tmp_path / "out"))
    assert "**View: hypothesis_only**" in text
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "robustness_hypothesis_only.md",
        "robustness_hypothesis_only.png",
    }


def test_rows_that_were_learned_are_counted(tmp_path, root, monkeypatch):
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.rows import compute_row_keys

    train = prepare(root / "cad/revised_premise/test.tsv", CORPORA["cad"], Tokenizer())
    module = "dsa.evaluation.robustness.evaluate_suite"
    keys = compute_row_keys(train)
    monkeypatch.setattr(f"{module}.read_training_keys", lambda run: keys)
    results, _ = evaluate_suite(fake_model(tmp_path / "run"), root)
    assert [entry["shared_with_train"] for _, entry in results] == [0, 0, 1]


def test_the_command_prints_the_table_and_leaves_the_splits_alone(
    scripts, run_copy, root, finished, capsys, tmp_path
):
    from dsa.sweeps.finished_runs import read_evaluations

    before = read_evaluations(RunFolder(run_copy), finished)
    arguments = [str(run_copy), "--suite", "robustness", "--data-root", str(root)]
    assert scripts.evaluate.main(arguments) == 0
    assert "| HANS | 3 |" in capsys.readouterr().out
    assert {path.name for path in (run_copy / "figures").iterdir()} == {
        "robustness.md",
        "robustness.png",
    }
    after = read_evaluations(RunFolder(run_copy), finished)
    assert {split: after.pop(split) for split in before} == before
    assert {*after} == {
        f"robustness: {name}"
        for name in ("hans", "stress_numbers", "cad_revised_premise")
    }
    json.dumps(after, allow_nan=False)
    assert scripts.evaluate.main([*arguments, "--predictions", "x"]) == 2
    assert scripts.evaluate.main([str(run_copy), "--out", str(tmp_path)]) == 2
    assert scripts.evaluate.main([str(run_copy), "--dpi", "300"]) == 2
    errors = capsys.readouterr().err
    assert (
        "--predictions cannot be combined with --suite" in errors
        and "--out requires --suite" in errors
    )
    assert "--format and --dpi require --suite" in errors

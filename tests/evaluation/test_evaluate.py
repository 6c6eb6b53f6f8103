import errno
import json
import logging
import os
import shutil
import types

import numpy as np
import pytest

import dsa
from dsa.data.corpora.catalogue import NLI
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.evaluation.evaluate import describe_evaluation, evaluate
from dsa.evaluation.labelled_files import choose_corpus
from dsa.evaluation.splits import find_split
from dsa.experiment.data_config import DataConfig
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import read_history
from dsa.tasks.relatedness import Relatedness
from dsa.training.training_corpora import find_training_files
from dsa.training.training_data import build_training_data
from tests.support.corpora import rows, write_jsonl
from tests.support.runs import SMALL_MODEL, write_experiment
from tests.support.tables import make_table

GOLD = np.array([0, 0, 1, 2, 2, 2])
PREDICTED = np.array([0, 1, 1, 2, 0, 2])
LOGITS = np.log(np.where(np.eye(3)[PREDICTED] > 0, 0.5, 0.25))


def test_the_table_shows_per_cent_counts_and_confusion():
    entry = {
        "split": "dev",
        "file": "d.jsonl",
        "rows": 7,
        "unlabelled": 1,
        **NLI.metrics(LOGITS, GOLD, list("xxyyyy")),
    }
    text = describe_evaluation(NLI, entry)
    assert "dev: d.jsonl, 6 rows, 1 of 7 rows unlabelled and excluded" in text
    assert "accuracy  66.67 % +- 19.25" in text
    assert [line.split() for line in text.splitlines()[-4:]] == [
        "contradiction 1 0 2 3 66.67 %".split(),
        "group count accuracy".split(),
        "x 2 50.00 %".split(),
        "y 4 75.00 %".split(),
    ]


def test_the_text_of_scores_has_their_correlations_and_those_of_groups():
    task = Relatedness("relatedness", 1, 5)
    logits = np.log(np.eye(5) + 1e-30)[[0, 1, 2, 4]]
    entry = {
        "split": "test",
        "file": "s.txt",
        "rows": 4,
        "unlabelled": 0,
        **task.metrics(logits, np.array([1, 2, 4, 5.0]), ["x", "x", "y", None]),
    }
    lines = describe_evaluation(task, entry).splitlines()
    assert lines[0].startswith("test: s.txt, 4 rows")
    assert [line.split() for line in lines[1:]] == [
        ["Pearson", "0.9621"],
        ["Spearman", "1.0000"],
        ["MSE", "0.2500"],
        ["loss", f"{entry['loss']:.4f}"],
        "group count".split(),
        "unknown 1 Pearson 0.0000".split(),
        "x 2 Pearson 1.0000".split(),
        "y 1 Pearson 0.0000".split(),
    ]


def test_a_file_without_groups_is_noted(run_copy, finished):
    import dsa

    config = run_copy / "config.yaml"
    config.write_text(config.read_text().replace("corpus: snli", "corpus: multinli"))
    (run_copy / "sha256.json").unlink()
    trained = dsa.load(run_copy)
    entry = evaluate(trained, find_split(trained, finished, "test"))
    assert entry["by_group"] == {"unknown": {"count": 7, "accuracy": entry["accuracy"]}}
    text = describe_evaluation(NLI, entry)
    assert text.endswith("\n  no accuracy by group: the file contains no groups")


def test_further_splits_are_evaluated_by_the_name_that_the_config_gives_them(
    scripts, run_copy, finished, capsys
):
    config = run_copy / "config.yaml"
    text = config.read_text()
    assert "others: {}" in text
    config.write_text(
        text.replace("others: {}", "others: {dev_mismatched: test.jsonl}")
    )
    (run_copy / "sha256.json").unlink()
    arguments = (scripts, finished, run_copy, "--split")
    assert run_script(*arguments, "dev_mismatched") == 0
    entry = RunFolder(run_copy).metrics()[-1]
    assert (entry["split"], entry["count"]) == ("dev_mismatched", 7)
    assert entry["verified"] is False
    assert run_script(*arguments, "mismatched") == 2
    assert (
        "no file for the split 'mismatched'. Known: train, dev, test, dev_mismatched"
        in capsys.readouterr().err
    )


def run_script(scripts, finished, run, *arguments):
    return scripts.evaluate.main([str(run), "--data-root", str(finished), *arguments])


def test_every_evaluation_is_recorded_with_date_and_counts(
    scripts, run_copy, finished, capsys
):
    for split in ("test", "train", "test"):
        assert run_script(scripts, finished, run_copy, "--split", split) == 0
    assert "train: train.jsonl, 30 rows" in capsys.readouterr().out
    entries = RunFolder(run_copy).metrics()
    assert [e["split"] for e in entries] == ["dev", "test", "train", "test"]
    assert [e["count"] for e in entries] == [11, 7, 30, 7]
    assert all(e["date"] and "commit" in e and e["sha256"] for e in entries)


def test_an_evaluation_can_be_left_unrecorded_with_its_answers_in_a_file(
    scripts, run_copy, finished, tmp_path, capsys
):
    before = RunFolder(run_copy).metrics()
    out = tmp_path / "answers.jsonl"
    arguments = ("--split", "test", "--no-record", "--predictions", str(out))
    assert run_script(scripts, finished, run_copy, *arguments) == 0
    assert RunFolder(run_copy).metrics() == before
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    right = [answer["label"] == answer["gold"] for answer in answers]
    assert [answer["id"] for answer in answers] == [f"p{n}" for n in range(7)]
    assert f"accuracy  {100 * sum(right) / 7:.2f} %" in capsys.readouterr().out
    assert sum(answers[0]["probabilities"].values()) == pytest.approx(1)


def test_an_evaluation_is_shown_also_where_it_cannot_be_recorded(
    scripts, run_copy, finished, capsys, monkeypatch
):
    def fail(run, entry):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "metrics.json")

    monkeypatch.setattr(RunFolder, "add_metrics", fail)
    assert run_script(scripts, finished, run_copy) == 2
    printed = capsys.readouterr()
    assert "dev: dev.jsonl, 11 rows" in printed.out
    assert printed.err == "error: metrics.json: No space left on device\n"


def test_an_evaluation_is_recorded_before_it_is_shown(
    scripts, run_copy, finished, monkeypatch
):
    def fail(text):
        raise BrokenPipeError

    monkeypatch.setattr("dsa.commands.evaluate.show", fail)
    run_script(scripts, finished, run_copy, "--split", "test")  # ... | head
    assert [entry["split"] for entry in RunFolder(run_copy).metrics()][-1] == "test"


def test_a_score_is_written_as_it_was_read():
    task = Relatedness("relatedness", 1, 5)
    assert task.restore_label(np.float32(3.6)) == 3.6


def test_a_file_of_ones_own_can_be_evaluated(scripts, run_copy, finished):
    path = finished / "test.jsonl"
    assert run_script(scripts, finished, run_copy, "--file", str(path)) == 0
    assert RunFolder(run_copy).metrics()[-1]["file"] == "test.jsonl"


def test_an_evaluation_with_other_vectors_has_its_own_name(finished_frozen, tmp_path):
    run = shutil.copytree(finished_frozen / "run", tmp_path / "run")
    shutil.copy(finished_frozen / "vectors.txt", tmp_path / "more.txt")
    own = {"data_root": finished_frozen, "split": "test"}
    assert dsa.evaluate(run, **own)["split"] == "test"
    entry = dsa.evaluate(run, vectors=tmp_path / "more.txt", **own)
    assert entry["split"] == "test (vectors: more.txt)"
    names = [entry["split"] for entry in RunFolder(run).current_evaluations()]
    assert names == ["dev", "test", "test (vectors: more.txt)"]


def test_other_vectors_are_used_for_dev(finished_frozen, tmp_path):
    run = shutil.copytree(finished_frozen / "run", tmp_path / "run")
    before = dsa.evaluate(run, "dev", data_root=finished_frozen)
    assert before["unknown_words"] > 0
    sentences = [json.loads(line) for line in (finished_frozen / "dev.jsonl").open()]
    words = {
        word.lower()
        for row in sentences
        for text in (row["sentence1"], row["sentence2"])
        for word in [*text.split(), *text.rstrip(".").split()]
    }
    (tmp_path / "more.txt").write_text("".join(f"{word} 3 1 2 4\n" for word in words))
    entry = dsa.evaluate(
        run, "dev", vectors=tmp_path / "more.txt", data_root=finished_frozen
    )
    assert entry["split"] == "dev (vectors: more.txt)"
    assert entry["unknown_words"] < before["unknown_words"]
    assert entry["loss"] != before["loss"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "jsonl", "parquet"])
@pytest.mark.parametrize("label", ["label", "gold_label"])
def test_every_format_of_predict_can_be_evaluated(
    scripts, run_copy, finished, tmp_path, suffix, label
):
    names = {"sentence1": "premise", "sentence2": "hypothesis", "gold_label": label}
    rows = []
    for line in (finished / "test.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows.append({new: row[old] for old, new in names.items()})
    path = tmp_path / f"mine.{suffix}"
    path.write_bytes(make_table(rows, suffix))
    arguments = [scripts, finished, run_copy, "--file"]
    assert run_script(*arguments, str(finished / "test.jsonl")) == 0
    assert run_script(*arguments, str(path)) == 0
    expected, entry = RunFolder(run_copy).metrics()[-2:]
    assert entry["confusion"] == expected["confusion"] and entry["split"] == "file"


def test_other_columns_are_named_on_the_command_line(
    scripts, run_copy, finished, tmp_path, capsys
):
    path = tmp_path / "mine.csv"
    path.write_text("a,b,c\nA man sleeps.,A man is awake.,neutral\n")
    arguments = [scripts, finished, run_copy, "--file", str(path)]
    assert run_script(*arguments) == 2
    assert "no column 'premise'" in capsys.readouterr().err
    columns = ["premise=a", "hypothesis=b"]
    assert run_script(*arguments, "--columns", *columns) == 2
    assert "--columns: label=NAME is missing" in capsys.readouterr().err
    assert run_script(*arguments, "--columns", *columns, "label=c") == 0
    assert RunFolder(run_copy).metrics()[-1]["count"] == 1
    names = {"premise": "a", "hypothesis": "b", "label": "c"}
    entry = dsa.evaluate(
        run_copy, file=path, data_root=finished, record=False, columns=names
    )
    assert entry["count"] == 1
    with pytest.raises(InputError, match="must have the keys premise, hypothesis, lab"):
        dsa.evaluate(run_copy, file=path, data_root=finished, columns={"premise": "a"})
    with pytest.raises(InputError, match="'columns' requires 'file'"):
        dsa.evaluate(run_copy, data_root=finished, columns=names)
    assert run_script(scripts, finished, run_copy, "--columns", *columns) == 2
    assert "--columns requires --file" in capsys.readouterr().err


def test_a_split_that_is_read_by_other_columns_is_a_separate_evaluation(tmp_path):
    class Trained:
        class run:
            splits = staticmethod(dict)

        experiment = load_experiment(
            write_experiment(tmp_path, data={"corpus": "multinli"})
        )
        tokenizer = Tokenizer()

    path = tmp_path / "test.jsonl"
    pairs = [json.loads(line) for line in path.read_text().splitlines()]
    write_jsonl(path, [{**pair, "genre": "fiction"} for pair in pairs])
    columns = {"premise": "sentence1", "hypothesis": "sentence2", "label": "gold_label"}
    swapped = columns | {"premise": "sentence2", "hypothesis": "sentence1"}
    evaluated = [
        find_split(Trained, tmp_path, file="test.jsonl", columns=file_columns)
        for file_columns in (None, columns, swapped)
    ]
    assert [rows.split for rows in evaluated] == ["test", "test", "file"]
    groups = [{*rows.prepared.groups} for rows in evaluated]
    assert groups == [{"fiction"}, {"fiction"}, {None}]


def test_scores_and_ids_are_read_by_the_names_of_columns(tmp_path):
    path = tmp_path / "mine.csv"
    head = "pairID,sentence1,sentence2,label"
    path.write_text(f"{head}\np7,A man sleeps.,A cat sits.,2.5\np8,A man.,A cat.,\n")
    data = DataConfig(corpus="stsb", train="train.csv", dev="dev.csv")
    corpus = choose_corpus(path, data, None)
    rows = [(row.name, *row.texts, row.label) for row in corpus.read_examples(path)]
    assert rows == [
        ("p7", "A man sleeps.", "A cat sits.", 2.5),
        ("p8", "A man.", "A cat.", None),
    ]


def test_line_endings_of_all_text_files_of_a_run_are_ignored(run_copy, finished):
    """Git's `autocrlf` rewrites every text file."""
    run = RunFolder(run_copy)
    before = dsa.evaluate(run, "test", data_root=finished)
    history, environment = read_history(run), run.environment()
    texts = [
        path
        for path in run_copy.rglob("*")
        if path.suffix in (".txt", ".yaml", ".json", ".csv")
    ]
    assert {path.name for path in texts} >= {"vocabulary.txt", "sha256.json"}
    for path in texts:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    after = dsa.evaluate(run, "test", data_root=finished)
    assert after | {"date": 0} == before | {"date": 0}
    assert (read_history(run), run.environment()) == (history, environment)


def test_a_file_without_labels_cannot_be_measured(
    scripts, run_copy, finished, capsys, tmp_path
):

    path = write_jsonl(tmp_path / "x.jsonl", rows(3, gold_label="hidden"))
    assert run_script(scripts, finished, run_copy, "--file", str(path)) == 2
    assert "no row has a label" in capsys.readouterr().err


def test_test_accuracy_is_that_of_predicting_pair_by_pair(finished):
    import dsa
    from tests.support.corpora import PAIRS

    trained = dsa.load(finished / "run")
    predicted = [trained.predict([(p, h)])[0].label for p, h, _ in PAIRS]
    together = [p.label for p in trained.predict([(p, h) for p, h, _ in PAIRS])]
    assert predicted == together


def test_a_view_is_a_separate_evaluation(scripts, run_copy, finished, capsys):
    import dsa
    from dsa.sweeps.finished_runs import find_missing_splits, read_evaluations
    from dsa.sweeps.overview import list_runs

    run = RunFolder(run_copy)
    before, listed = read_evaluations(run, finished), list_runs(run_copy)
    arguments = ["--split", "test", "--view", "hypothesis_only"]
    assert run_script(scripts, finished, run_copy, *arguments) == 0
    assert "test (hypothesis_only): test.jsonl, 7 rows" in capsys.readouterr().out
    entry = run.metrics()[-1]
    assert (entry["split"], entry["view"]) == (
        "test (hypothesis_only)",
        "hypothesis_only",
    )
    assert entry["tokens"] < 7 * 8  # of the hypotheses only
    after = read_evaluations(run, finished)
    assert after.pop("test (hypothesis_only)") == entry and after == before
    assert find_missing_splits(run, ["test"], finished) == ["test"]
    assert list_runs(run_copy) == listed
    options = {"record": False, "data_root": finished}
    plain = dsa.evaluate(run_copy, "dev", view="plain", **options)
    assert plain["split"] == "dev" and "view" not in plain
    assert plain["accuracy"] == before["dev"]["accuracy"]
    with pytest.raises(dsa.InputError, match="unknown view 'words'. Known: plain, hyp"):
        dsa.evaluate(run_copy, "dev", view="words", **options)


def test_a_run_with_a_view_answers_and_looks_in_it(run_copy, finished, scripts):
    """Its evaluation in its own view has the name of the split."""
    import dsa
    from dsa.sweeps.overview import list_runs

    pairs = [("A man sleeps.", "A cat sits."), ("Two dogs run fast.", "A cat sits.")]
    plain = dsa.load(run_copy)
    config = run_copy / "config.yaml"
    config.write_text(config.read_text().replace("view: null", "view: hypothesis_only"))
    (run_copy / "sha256.json").unlink()
    model = dsa.load(run_copy)
    first, second = model.predict(pairs)
    assert first == second and plain.predict(pairs)[0] != plain.predict(pairs)[1]
    look = model.explain(*pairs[0])
    assert look.tokens["premise"] == ("<empty>",)
    assert look.answer.label == first.label
    assert "snli (hypothesis_only)" in list_runs(run_copy)
    options = {"record": False, "data_root": finished}
    own = dsa.evaluate(run_copy, "dev", **options)
    other = dsa.evaluate(run_copy, "dev", view="plain", **options)
    assert (own["split"], own["view"]) == ("dev", "hypothesis_only")
    assert (other["split"], other["view"]) == ("dev (plain)", None)

    text = config.read_text().replace("view: hypothesis_only", "view: bag_of_words")
    config.write_text(text)
    model = dsa.load(run_copy)
    assert model.explain_sentence("The cat sits on a mat.").tokens["sentence"] == tuple(
        sorted(["the", "cat", "sits", "on", "a", "mat", "."])
    )
    one, same = model.encode(["The cat sits.", "Sits the cat."])
    np.testing.assert_allclose(one, same, rtol=1e-5, atol=1e-6)


def test_commands_that_compute_with_a_model_name_the_device(
    scripts, run_copy, finished, tmp_path, capsys
):
    run, out = str(run_copy), ["--out", str(tmp_path / "out")]
    root = ["--data-root", str(finished)]
    pairs = ["--matched", "test.jsonl", "--labelled", "--any-rows"]
    for command, arguments in (
        (scripts.compare, [run, run]),
        (scripts.lengths, [run, *out]),
        (scripts.make_submission, [run, *pairs, *out]),
    ):
        assert command.main([*arguments, *root]) == 0, command
        printed = capsys.readouterr()
        assert (printed.out + printed.err).count("device: ") == 1, command
        if command is scripts.lengths:
            names = "lengths.csv, lengths.txt, lengths.png"
            assert f"written to {tmp_path / 'out'}: {names}\n" in printed.err


ENGLISH = DataConfig(
    corpus="own",
    columns={"premise": "premise", "hypothesis": "hypothesis"},
    labels=["no", "yes"],
    where={"language": "en"},
    train="train.csv",
    dev="dev.csv",
)


def test_a_file_without_the_rows_of_the_config_is_an_error(tmp_path):
    path = tmp_path / "french.csv"
    path.write_text("premise,hypothesis,label,language\na,b,no,fr\n")
    with pytest.raises(InputError, match="french.csv: the file contains no rows"):
        list(choose_corpus(path, ENGLISH, None).read_examples(path))


def test_a_sampled_training_set_is_evaluated_on_its_rows(tmp_path):
    config = write_experiment(tmp_path, data={"train_rows": 12})
    experiment = load_experiment(config)
    data = build_training_data(experiment, find_training_files(experiment, tmp_path))
    trained = types.SimpleNamespace(
        experiment=experiment, run=None, tokenizer=Tokenizer(lowercase=True)
    )
    rows = find_split(trained, tmp_path, "train").prepared
    assert rows.ids == data.train_corpus.ids and len(rows) == 12


def test_the_rows_of_the_config_are_evaluated_with_other_columns_too(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("first,second,same,language\na,b,no,fr\nc,d,yes,en\n")
    columns = {"premise": "first", "hypothesis": "second", "label": "same"}
    (row,) = choose_corpus(path, ENGLISH, columns).read_examples(path)
    assert row.texts == ("c", "d")


def test_a_missing_vector_file_is_logged(
    finished_frozen, tmp_path, caplog, monkeypatch
):
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    text = (finished_frozen / "test.jsonl").read_text()
    (tmp_path / "test.jsonl").write_text(text.replace("dog", "zebra"))
    arguments = {"split": "test", "record": False}
    dsa.evaluate(finished_frozen / "run", data_root=finished_frozen, **arguments)
    assert "vectors.txt is missing" not in caplog.text
    dsa.evaluate(finished_frozen / "run", data_root=tmp_path, **arguments)
    assert "vectors.txt is missing" in caplog.text


def test_a_divided_and_sampled_file_is_not_evaluated_as_a_whole(tmp_path):
    """It contains the rows of dev."""
    data = {"dev": None, "dev_share": 0.25, "train_rows": 12}
    config = write_experiment(tmp_path, model=SMALL_MODEL, data=data)
    run = dsa.train(config, tmp_path / "run", data_root=tmp_path)
    with pytest.raises(InputError, match="the file was divided into the splits"):
        dsa.evaluate(run, file=tmp_path / "train.jsonl", data_root=tmp_path)

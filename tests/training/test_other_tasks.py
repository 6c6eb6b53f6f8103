"""Every task from a YAML file to an evaluated run, on small corpora."""

import json

import numpy as np
import pytest

import dsa
from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import RunIndex
from tests.support.runs import SMALL_MODEL, write_experiment
from tests.support.small_tasks import TREES, lines, sick, trained


@pytest.fixture(scope="module")
def sentiment(scripts, tmp_path_factory):
    files = {f"{split}.txt": lines(TREES, 12, split) for split in "abc"}
    splits = {"train": "a.txt", "dev": "b.txt", "test": "c.txt"}
    folder = tmp_path_factory.mktemp("sst")
    splits["options"] = {"phrases": True, "oversample": 2}
    return trained(scripts, folder, "sst", files, **splits)


@pytest.fixture(scope="module")
def related(scripts, tmp_path_factory):
    files = {f"{split}.txt": sick(9, split) for split in "abc"}
    splits = {"train": "a.txt", "dev": "b.txt", "test": "c.txt"}
    folder = tmp_path_factory.mktemp("sick")
    return trained(scripts, folder, "sick", files, **splits)


@pytest.mark.slow
def test_sentences_are_classified(sentiment, capsys):
    dev, test = RunFolder(sentiment).metrics()
    assert (dev["split"], test["split"], test["count"]) == ("dev", "test", 12)
    assert test["labels"][0] == "very negative"
    environment = RunFolder(sentiment).environment()
    assert environment["pairs"]["train"] == 48  # nodes of 12 trees
    (prediction,) = dsa.load(sentiment).predict(["A great film"])
    assert len(prediction.probabilities) == 5
    # 12 sentences and the 16 phrases that are not neutral come twice
    assert environment["steps_per_epoch"] == (48 + 12 + 16) // 4


@pytest.mark.slow
def test_relatedness_is_a_score_on_the_scale(scripts, related, capsys):
    _, test = RunFolder(related).metrics()
    assert set(test) >= {"pearson", "spearman", "mse"} and test["count"] == 9
    assert 0 < test["mse"] < 16
    (prediction,) = dsa.load(related).predict([("A man sleeps.", "A man rests.")])
    assert 1 <= prediction.score <= 5
    expected = sum(int(k) * p for k, p in prediction.probabilities.items())
    assert prediction.score == pytest.approx(expected)
    capsys.readouterr()
    assert scripts.predict.main([str(related), "A man sleeps.", "A dog."]) == 0
    assert 1 <= float(capsys.readouterr().out.split()[0]) <= 5
    history = RunFolder(related).read("history.csv").splitlines()
    assert "val_pearson" in history[0] and "accuracy" not in history[0]


@pytest.mark.slow
def test_the_same_pairs_are_an_inference_task(scripts, tmp_path):
    files = {f"{split}.txt": sick(9, split) for split in "abc"}
    splits = {"train": "a.txt", "dev": "b.txt", "test": "c.txt"}
    run = trained(scripts, tmp_path, "sick_entailment", files, **splits)
    _, test = RunFolder(run).metrics()
    assert test["labels"] == ["entailment", "neutral", "contradiction"]
    assert [test["by_label"][name]["count"] for name in test["labels"]] == [5, 2, 2]


@pytest.fixture(scope="module")
def folded(scripts, tmp_path_factory):
    texts = [f"{n % 2} word{n} is {'good' if n % 2 else 'bad'}" for n in range(40)]
    return trained(
        scripts,
        tmp_path_factory.mktemp("cr"),
        "cr",
        {"all.txt": lines(texts, 40)},
        train="all.txt",
        folds={"count": 4, "fold": 1},
        dev_share=0.2,
    )


@pytest.mark.slow
def test_a_fold_is_tested_by_the_rows_that_the_run_stored(folded):
    splits = RunFolder(folded).splits(40)
    assert {name: len(rows) for name, rows in splits.items()} == {
        "train": 24,
        "test": 10,
        "dev": 6,
    }
    assert sorted(np.concatenate(list(splits.values()))) == list(range(40))
    dev, test = RunFolder(folded).metrics()
    assert (dev["count"], test["count"]) == (6, 10)
    # words of the other rows are unknown to the run: its vectors are trained
    words = RunFolder(folded).read("vocabulary.txt").split()
    assert {f"word{row}" for row in splits["train"]} <= set(words)
    assert not {f"word{row}" for row in splits["test"]} & set(words)


@pytest.mark.slow
def test_dev_and_test_can_be_rows_of_one_file(scripts, tmp_path):
    rows = [f"{n % 2}\tWhat is {n} ?\tWhat is word{n} ?\t{n}" for n in range(20)]
    files = {"a.tsv": lines(rows, 12), "b.tsv": lines(rows, 20)}
    splits = {"train": "a.tsv", "test": "b.tsv", "dev_share": 0.3, "dev_from": "test"}
    run = trained(scripts, tmp_path, "quora", files, **splits)
    dev, test = RunFolder(run).metrics()
    assert [(e["file"], e["count"]) for e in (dev, test)] == [
        ("b.tsv", 6),
        ("b.tsv", 14),
    ]
    stored = RunFolder(run).splits(20)
    assert sorted([*stored["dev"], *stored["test"]]) == list(range(20))
    for split, count in (("train", 12), ("test", 14)):
        arguments = [str(run), "--split", split, "--data-root", str(tmp_path)]
        assert scripts.evaluate.main(arguments) == 0
        assert RunFolder(run).metrics()[-1]["count"] == count


@pytest.mark.slow
def test_the_splits_of_a_run_are_needed(folded, tmp_path):
    import shutil

    shutil.copytree(folded, tmp_path / "run")
    run = RunFolder(tmp_path / "run")
    whole = run.read_json("splits.json")
    for damaged in ({**whole, "dev": [-1]}, {"test": whole["test"]}):
        run.write_json("splits.json", damaged)
        with pytest.raises(InputError, match="expected the rows of train, dev, test"):
            run.splits(40)
    (run.path / "splits.json").unlink()
    with pytest.raises(InputError, match="splits.json is missing"):
        run.splits(40)


@pytest.mark.slow
def test_the_file_of_a_fold_holds_rows_of_other_splits(scripts, folded, capsys):
    file = str(folded.parent / "all.txt")
    arguments = [str(folded), "--file", file, "--data-root", str(folded.parent)]
    before = len(RunFolder(folded).metrics())
    assert scripts.evaluate.main(arguments) == 2
    assert "Select one of these splits instead of the file" in capsys.readouterr().err
    assert len(RunFolder(folded).metrics()) == before


@pytest.mark.slow
def test_accuracy_by_length_of_a_fold_is_that_of_its_own_rows(
    scripts, folded, tmp_path
):
    arguments = [str(folded), "--split", "dev", "--data-root", str(folded.parent)]
    arguments += ["--out", str(tmp_path)]
    assert scripts.lengths.main(arguments) == 0
    assert "all  n = 6" in (tmp_path / "lengths.txt").read_text()


@pytest.mark.slow
def test_a_finished_fold_is_found(folded):
    runs = RunIndex.scan(folded, folded.parent)
    assert runs.find(RunFolder(folded).experiment()).path == folded


@pytest.mark.slow
def test_words_of_a_test_fold_are_looked_up(scripts, tmp_path):
    """As `predict` does: with frozen vectors, no word of the file is unknown."""
    texts = [f"{n % 2} word{n}" for n in range(40)]
    (tmp_path / "vectors.txt").write_text(
        lines([f"word{n} {n} 1" for n in range(40)], 40)
    )
    run = trained(
        scripts,
        tmp_path,
        "cr",
        {"all.txt": lines(texts, 40)},
        embedding={"path": "vectors.txt", "units": 2, "trainable": False},
        train="all.txt",
        folds={"count": 4, "fold": 1},
        dev_share=0.2,
    )
    _, test = RunFolder(run).metrics()
    assert (test["words"], test["unknown_words"]) == (10, 0)


@pytest.mark.slow
def test_a_stored_row_that_the_file_lacks_is_an_error(scripts, folded, capsys):
    data = folded.parent / "all.txt"
    text = data.read_text()
    rows = text.splitlines(keepends=True)
    arguments = [str(folded), "--split", "test", "--data-root", str(folded.parent)]
    for changed, message in (
        (rows[:20], "all.txt: the file has changed since the run was trained"),
        (
            [*rows[20:], *rows[:20]],
            "all.txt: the file has changed since the run was trained",
        ),
    ):
        data.write_text("".join(changed))
        assert scripts.evaluate.main(arguments) == 2
        assert message in capsys.readouterr().err
    data.write_text(text)
    with pytest.raises(
        InputError, match="below 20, the number of rows of the corpus file"
    ):
        RunFolder(folded).splits(20)


@pytest.mark.slow
def test_a_sentence_is_refused_by_a_run_on_pairs_and_the_other_way_round(
    scripts, sentiment, related, capsys
):
    assert scripts.predict.main([str(related), "Alone."]) == 2
    message = capsys.readouterr().err
    assert "task 'relatedness' reads sentence pairs" in message
    assert "a score from 1 to 5. Received: 1 text" in message
    assert scripts.predict.main([str(sentiment), "One.", "Two."]) == 2
    message = capsys.readouterr().err
    assert "task 'sentiment' reads single sentences" in message


@pytest.mark.slow
def test_a_file_of_sentences_is_predicted_line_by_line(scripts, sentiment, capsys):
    file = sentiment.parent / "texts.txt"
    file.write_text("A film\nIt is bad\n")
    assert scripts.predict.main([str(sentiment), "--file", str(file)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in rows] == ["1", "2"]
    assert set(rows[0]) == {"id", "label", "probabilities"}


@pytest.mark.slow
def test_a_run_on_pairs_of_another_task_makes_no_submission(related):
    from dsa.evaluation.submission import check_labels

    with pytest.raises(InputError, match="predicts a score from 1 to 5"):
        check_labels(RunFolder(related))


@pytest.mark.slow
@pytest.mark.parametrize("which", ["sentiment", "related"])
def test_vectors_of_sentences_are_written_in_the_order_of_the_file(
    scripts, request, which, tmp_path
):
    run = request.getfixturevalue(which)
    file, out = tmp_path / "texts.txt", tmp_path / "vectors.npy"
    file.write_text("A film\nIt is bad\nA film\n")
    arguments = [str(run), "--file", str(file), "--out", str(out)]
    assert scripts.encode.main(arguments) == 0
    vectors = np.load(out)
    assert vectors.shape == (3, 7) and vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors[0], vectors[2])
    alone = dsa.load(run).encode(["It is bad"])
    np.testing.assert_allclose(vectors[1:2], alone, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "out", "message"),
    [
        ("a\n\nb\n", "v.npy", "line 2: the sentence is empty"),
        ("", "v.npy", "no sentences"),
        (
            '{"sentence": "a"}\n\n{"sentence": "b"}\n',
            "v.npy",
            "line 2: the sentence is",
        ),
        ("a\nb\tc\n", "v.npy", "line 2: expected one sentence"),
        ('{"sentence": 3}\n', "v.npy", "row 1: 'sentence' must be text"),
        ("a\n", "v.txt", "--out must end in .npy"),
    ],
)
def test_what_cannot_be_encoded_is_named(
    scripts, sentiment, tmp_path, capsys, content, out, message
):
    (tmp_path / "texts.txt").write_text(content)
    arguments = ["--file", str(tmp_path / "texts.txt"), "--out", str(tmp_path / out)]
    assert scripts.encode.main([str(sentiment), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / out).exists()


@pytest.mark.slow
def test_a_corpus_with_one_label_teaches_nothing(scripts, tmp_path, capsys):
    (tmp_path / "train.txt").write_text("1 good\n" * 30)
    (tmp_path / "dev.txt").write_text("1 good\n" * 20)
    data = {"corpus": "cr", "train": "train.txt", "dev": "dev.txt", "test": None}
    config = write_experiment(tmp_path, model=SMALL_MODEL, data=data)
    assert scripts.train.main([str(config), "--data-root", str(tmp_path)]) == 2
    assert "every row has the label positive" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("constant", ["train", "dev"])
def test_scores_that_are_all_alike_teach_and_select_nothing(
    scripts, tmp_path, capsys, constant
):
    files = {split: f"{split}.txt" for split in ("train", "dev")}
    for split, name in files.items():
        lines = sick(9).splitlines(keepends=True)
        if split == constant:
            lines[1:] = lines[2:3] * 9
        (tmp_path / name).write_text("".join(lines))
    config = write_experiment(
        tmp_path, model=SMALL_MODEL, data={"corpus": "sick", **files, "test": None}
    )
    assert scripts.train.main([str(config), "--data-root", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert f"{constant}.txt: every row has the score" in message


@pytest.mark.slow
def test_scores_of_a_file_with_a_split_column(scripts, tmp_path):
    texts = [("A man sleeps.", "A man rests."), ("Two dogs run.", "Dogs run.")]
    parts = ["train"] * 6 + ["validation"] * 3 + ["test"] * 3
    rows = [
        f"{first},{second},{(n % 7) / 2},{part},{language}"
        for language in ("fr", "en")
        for n, part in enumerate(parts)
        for first, second in [texts[n % 2]]
    ]
    run = trained(
        scripts,
        tmp_path,
        "own",
        {"all.csv": lines(["a,b,similarity,part,language", *rows], 25)},
        train="all.csv",
        columns={"premise": "a", "hypothesis": "b", "label": "similarity"},
        scores={"lowest": 0, "highest": 3},
        where={"language": "en"},
        split_column="part",
    )
    dev, test = RunFolder(run).metrics()
    assert (dev["count"], test["count"]) == (3, 3) and 0 < test["mse"] < 9
    assert RunFolder(run).environment()["pairs"] == {"train": 6, "dev": 3}
    (prediction,) = dsa.load(run).predict([texts[0]])
    assert 0 <= prediction.score <= 3

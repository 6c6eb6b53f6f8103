"""The study of models for few pairs, and its committed tables."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from tools import small_data_rows as corpora
from tools import small_data_tables as tables
from tools.small_data_study import STRENGTHS, predict_by_regression


def test_the_committed_tables_follow_from_the_answers():
    records, gold = tables.read_answers(tables.RESULTS / tables.ANSWERS)
    assert len(records) >= 84  # all corpora and seeds of a size, without 300-d vectors
    assert tables.write_tables(tables.RESULTS, check=True) == 0
    changed = dict(records[0], test=[*records[0]["test"]])
    changed["test"][0] = (changed["test"][0] + 1) % 2
    before, after = (
        tables.compute_tables([first, *records[1:]], gold)["scores.csv"]
        for first in (records[0], changed)
    )
    assert before != after


def test_all_test_rows_of_a_run_are_answered():
    records, gold = tables.read_answers(tables.RESULTS / tables.ANSWERS)
    for record in records:
        assert len(record["test"]) == len(gold[record["corpus"]])
        labels = corpora.CORPORA[record["corpus"]][3]
        assert {*record["test"]} <= {*range(len(labels))}


def test_the_score_of_the_skewed_corpus_is_its_balanced_accuracy():
    labels = ["0"] * 9 + ["1"]
    predicted = ["0"] * 8 + ["1", "1"]
    weighted = corpora.score("wikiqa", predicted, labels)
    assert weighted == pytest.approx(balanced_accuracy_score(labels, predicted))
    assert corpora.score("msrp", predicted, labels) == pytest.approx(0.9)


def test_training_rows_depend_on_the_seed_alone():
    rows = list(range(100))
    first = corpora.draw_rows(rows, "10", 13)
    assert first == corpora.draw_rows(rows, "10", 13) and len({*first}) == 10
    assert first != corpora.draw_rows(rows, "10", 14)
    assert corpora.draw_rows(rows, "all", 13) == rows


def test_rows_without_a_label_of_the_corpus_are_skipped(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b'label\ta\tb\n1\tOne "two"\tTwo\r\n?\tx\ty\n0\tz\n0\tA\tB\xff\n')
    pairs = corpora.read_pairs(path, (1, 2, 0), ("0", "1"))
    assert pairs == [('One "two"', "Two", "1"), ("A", "B\ufffd", "0")]


def test_answers_are_packed_with_the_labels(tmp_path, monkeypatch):
    results = tmp_path / "results"
    monkeypatch.setattr(tables, "RESULTS", results)
    (tmp_path / "quora").mkdir()
    lines = "".join(f"{n % 2}\tquestion {n}\tother {n}\t{n}\n" for n in range(4))
    for name in ("dev", "test"):
        (tmp_path / "quora" / f"{name}.tsv").write_text(lines)
    run = tmp_path / "runs" / "seed-13"
    run.mkdir(parents=True)
    record = {"corpus": "quora", "rows": 4, "size": "500", "model": "linear"}
    record |= {"seed": 13, "dev": 0.5, "seconds": 1.0, "test": [0, 1, 1, 1]}
    (run / "answers.json").write_text(json.dumps(record))
    tables.pack(tmp_path / "runs", tmp_path)
    (packed,), gold = tables.read_answers(results / tables.ANSWERS)
    assert packed == record
    np.testing.assert_array_equal(gold["quora"], [0, 1, 0, 1])
    tables.unpack(tmp_path / "unpacked")
    path = tmp_path / "unpacked/quora/500/linear/seed-13/answers.json"
    assert json.loads(path.read_text()) == record


def test_tables_use_the_seeds_that_all_models_and_corpora_have():
    runs = [("esim_50d", "sick", 13), ("esim_50d", "sick", 14), ("linear", "msrp", 13)]
    records = [
        {"size": "500", "model": model, "corpus": corpus, "seed": seed}
        for model, corpus, seed in runs
    ]
    assert tables.find_shared_seeds(records) == {"500": {13}}


def test_the_regression_has_the_strength_with_the_best_dev_score():
    random = np.random.default_rng(0)
    train = random.normal(size=(60, 40))
    labels = np.where(train[:, 0] + random.normal(size=60) > 0, "1", "0")
    dev, test = random.normal(size=(200, 40)), random.normal(size=(9, 40))
    gold = np.where(dev[:, 0] > 0, "1", "0")
    models = [
        LogisticRegression(C=strength, max_iter=2000).fit(train, labels)
        for strength in STRENGTHS
    ]
    scores = [model.score(dev, gold) for model in models]
    assert len(set(scores)) > 1
    found, answers = predict_by_regression("msrp", (train, dev, test), (labels, gold))
    assert np.mean(found == gold) == max(scores)
    np.testing.assert_array_equal(answers, models[np.argmax(scores)].predict(test))

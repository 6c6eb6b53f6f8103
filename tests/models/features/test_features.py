"""The feature-based classifier, from features to a run folder."""

import math
import shutil

import numpy as np
import pytest
import yaml
from sklearn.linear_model import LogisticRegression

import dsa
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.errors import InputError
from dsa.models.classifiers.refit import extract_weights
from dsa.models.features.classifier import (
    DENSE,
    FeatureClassifier,
    compute_dense_features,
    compute_lexical_features,
)
from dsa.models.features.config import FeaturesConfig
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.system.arrays import read_arrays, write_arrays
from dsa.tasks.task import PAIR
from tests.support.corpora import rows, write_jsonl
from tests.support.runs import write_experiment
from tests.support.small_tasks import lines

CONFIG = FeaturesConfig(name="features", minimum_count=1)
LISTS = [[2, 3, 4, 3, 5], [3, 4, 3], [6], []]
SENTENCES = Sentences.from_lists(LISTS)
FEATURES = {"name": "features"}


def test_the_unlexicalised_features_of_a_pair():
    found = dict(zip(DENSE, compute_dense_features(LISTS[0], LISTS[1]), strict=True))
    short = math.exp(1 - 5 / 3)  # BLEU's brevity penalty
    assert found["BLEU-1"] == pytest.approx(short)  # every n-gram is in the premise
    assert found["BLEU-2"] == pytest.approx(short)
    assert found["length difference"] == -2
    assert found["overlap"] == 3
    assert found["share of the possible overlap"] == 1
    other = dict(zip(DENSE, compute_dense_features(LISTS[1], LISTS[2]), strict=True))
    assert other["overlap"] == other["share of the possible overlap"] == 0
    assert np.isfinite(compute_dense_features([], [2])).all()


def test_unknown_words_do_not_overlap():
    known = dict(zip(DENSE, compute_dense_features([2, 1, 3], [1, 2, 1]), strict=True))
    assert known["overlap"] == 1
    assert known["BLEU-1"] == pytest.approx(1 / 3)


def test_words_bigrams_and_word_pairs_have_distinct_codes():
    v, (premise, hypothesis) = 7, map(np.array, ([6, 2], [3, 4, 3]))
    words = {3, 4}
    bigrams = {v + 3 * v + 4, v + 4 * v + 3}
    crossed = {v + v * v + p * v + h for p in (6, 2) for h in (3, 4)}
    found = compute_lexical_features(premise, hypothesis, v)
    assert found.tolist() == sorted(words | bigrams | crossed)


def test_rows_hold_standardised_numbers_and_indicators_of_known_codes():
    texts = np.array([[0, 1], [0, 2], [1, 3]])
    classifier = FeatureClassifier(CONFIG, 7, 3)
    rows = classifier.fit_features(ModelRows(SENTENCES, texts, PAIR)).toarray()
    np.testing.assert_allclose(rows[:, : len(DENSE)].mean(axis=0), 0, atol=1e-12)
    for row, (p, h) in zip(rows, texts, strict=True):
        codes = compute_lexical_features(
            *(np.array(LISTS[n], np.int64) for n in (p, h)), vocabulary_size=7
        )
        shown = classifier.codes[row[len(DENSE) :] == 1]
        assert shown.tolist() == codes.tolist()
        assert set(row[len(DENSE) :]) <= {0, 1}
    unseen = classifier.features(
        ModelRows(SENTENCES, np.array([[2, 2]]), PAIR)
    ).toarray()[0]
    assert classifier.codes[unseen[len(DENSE) :] == 1].tolist() == [6]


def test_rare_codes_are_dropped_and_all_codes_if_unlexicalised():
    texts = np.array([[0, 1], [1, 1]])
    config = FeaturesConfig(name="features", minimum_count=2)
    twice = FeatureClassifier(config, 7, 3)
    twice.fit_features(ModelRows(SENTENCES, texts, PAIR))
    first, second = (
        compute_lexical_features(*(np.array(LISTS[n]) for n in pair), 7)
        for pair in texts
    )
    assert twice.codes.tolist() == sorted(set(first) & set(second))
    plain = FeaturesConfig(name="features", lexical=False)
    unlexicalised = FeatureClassifier(plain, 7, 3)
    assert unlexicalised.fit_features(ModelRows(SENTENCES, texts, PAIR)).shape == (
        2,
        7,
    )


@pytest.mark.parametrize("classes", [[0, 1, 2], [0, 2]])
def test_the_weights_are_the_regressions(classes):
    random = np.random.default_rng(0)
    x, labels = random.normal(size=(60, 4)), random.choice(classes, 60)
    fitted = LogisticRegression().fit(x, labels)
    kernel, bias = extract_weights(fitted, 3)
    logits = x @ kernel + bias
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares[:, classes], fitted.predict_proba(x), atol=1e-9)


def with_features(config, **settings):
    """Replaces the small experiment's model section, which has DSA's settings."""
    experiment = yaml.safe_load(config.read_text())
    experiment["model"] = {**FEATURES, **settings}
    config.write_text(yaml.safe_dump(experiment))
    return config


def feature_run(scripts, folder):
    config = with_features(write_experiment(folder), minimum_count=1)
    run = folder / "run"
    arguments = [str(config), "--data-root", str(folder), "--run", str(run)]
    assert scripts.train.main(arguments) == 0
    assert scripts.train.main([*arguments, "--resume"]) == 0  # has finished
    return run


@pytest.fixture(scope="module")
def run(scripts, tmp_path_factory):
    return feature_run(scripts, tmp_path_factory.mktemp("features"))


def test_a_run_is_evaluated_loaded_and_used_for_prediction(scripts, run, capsys):
    root = ["--data-root", str(run.parent)]
    assert scripts.evaluate.main([str(run), "--split", "train", *root]) == 0
    *_, train = RunFolder(run).metrics()
    assert train["accuracy"] > 0.9  # indicators of 30 pairs tell them apart
    assert is_finished(RunFolder(run))
    model = dsa.load(run)
    pairs = [("A man sleeps.", "A man is awake."), ("The dog runs.", "A dog runs.")]
    first = model.predict(pairs)
    assert first == dsa.load(run).predict(pairs)
    assert abs(sum(first[0].probabilities.values()) - 1) < 1e-6


def test_unsupported_operations_raise_errors(run):
    model = dsa.load(run)
    with pytest.raises(InputError, match="Received: 'features'"):
        model.encode(["A man sleeps."])
    with pytest.raises(InputError, match="has no attention maps"):
        model.explain("A man sleeps.", "A man is awake.")


DAMAGE = {
    "kernel": lambda arrays: arrays.update(kernel=arrays["kernel"][:-1]),
    "no number": lambda arrays: arrays["bias"].fill(np.nan),
    "infinity": lambda arrays: arrays["mean"].fill(np.inf),
    "deviation": lambda arrays: arrays["deviation"].fill(0),
    "order": lambda arrays: arrays.update(codes=arrays["codes"][::-1]),
    "codes": lambda arrays: arrays.update(codes=np.array(3)),
    "text": lambda arrays: arrays.update(bias=arrays["bias"].astype(str)),
    "complex": lambda arrays: arrays.update(kernel=arrays["kernel"] * 1j),
    "array": lambda arrays: arrays.pop("mean"),
}


@pytest.mark.parametrize("damage", ["missing", "cut", "vocabulary", *DAMAGE])
def test_weights_that_do_not_fit_raise_an_error(run, tmp_path, damage):
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    path = copy / "features.npz"
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-50])
    else:
        arrays, record = read_arrays(path, "weights")
        if damage == "vocabulary":
            record = {"vocabulary_size": 5}
        else:
            DAMAGE[damage](arrays)
        write_arrays(path, arrays, record)
    (copy / "sha256.json").unlink()
    with pytest.raises(
        InputError, match=r"features\.npz(:| does not contain| is missing)"
    ):
        dsa.load(copy)


def test_the_regularization_is_selected_on_dev(scripts, tmp_path):
    """Half of the training labels are wrong, so the best fit is not best on dev."""
    random = np.random.default_rng(0)
    pairs = []
    for n in range(120):
        words = " ".join(f"w{each}" for each in random.integers(0, 30, 6))
        label = n % 2 if random.random() < 0.7 else 1 - n % 2
        pairs.append(
            f"{label}\tIs {words} ?\t{'Same' if n % 2 else 'Other'} {words}\t{n}"
        )
    (tmp_path / "a.tsv").write_text(lines(pairs[:80], 80))
    (tmp_path / "b.tsv").write_text(lines(pairs[80:], 40))
    data = {"corpus": "quora", "train": "a.tsv", "dev": "b.tsv", "test": None}
    config = with_features(write_experiment(tmp_path, data=data), minimum_count=1)
    arguments = ["--data-root", str(tmp_path), "--run", str(tmp_path / "run")]
    assert scripts.train.main([str(config), *arguments]) == 0
    run = RunFolder(tmp_path / "run")
    text = run.read("history.csv").splitlines()
    column = text[0].split(",").index("val_accuracy")
    tried = [float(line.split(",")[column]) for line in text[1:]]
    (dev,) = run.metrics()
    assert dev["accuracy"] == pytest.approx(max(tried)) and tried[-1] < max(tried)


def test_a_run_that_was_killed_before_its_end_is_not_finished(run, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    (copy / "environment.json").unlink()  # the last file that training writes
    assert not is_finished(RunFolder(copy))


def test_a_finished_run_raises_an_error_for_other_data(scripts, tmp_path, capsys):
    run = feature_run(scripts, tmp_path)
    write_jsonl(tmp_path / "dev.jsonl", rows(9))
    arguments = [str(tmp_path / "small.yaml"), "--data-root", str(tmp_path)]
    assert scripts.train.main([*arguments, "--run", str(run), "--resume"]) == 2
    message = capsys.readouterr().err
    assert (
        "files of these splits have changed since the run was started: dev" in message
    )


def test_two_labels_are_learned(scripts, tmp_path):
    pairs = [
        f"{n % 2}\tWhat is {n} ?\t{'Same' if n % 2 else 'Other'} is {n} ?\t{n}"
        for n in range(40)
    ]
    (tmp_path / "a.tsv").write_text(lines(pairs[:30], 30))
    (tmp_path / "b.tsv").write_text(lines(pairs[30:], 10))
    data = {"corpus": "quora", "train": "a.tsv", "dev": "b.tsv", "test": None}
    config = with_features(write_experiment(tmp_path, data=data))
    arguments = ["--data-root", str(tmp_path), "--run", str(tmp_path / "run")]
    assert scripts.train.main([str(config), *arguments]) == 0
    assert RunFolder(tmp_path / "run").metrics()[-1]["accuracy"] == 1


def test_single_sentences_raise_an_error(scripts, tmp_path, capsys):
    config = with_features(write_experiment(tmp_path, data={"corpus": "trec"}))
    assert scripts.train.main([str(config), "--data-root", str(tmp_path)]) == 2
    assert "'model.name: features' requires sentence pairs" in capsys.readouterr().err


def test_long_rows_are_excluded_from_training(tmp_path):
    config = write_experiment(tmp_path, model={"name": "features", "minimum_count": 1})
    num_features = []
    for max_tokens in (512, 6):
        run = tmp_path / str(max_tokens)
        settings = {"training.max_tokens": max_tokens}
        dsa.train(config, run, settings, data_root=tmp_path)
        with np.load(run / "features.npz") as arrays:
            num_features.append(len(arrays["codes"]))
    assert "rows are excluded from training" in (run / "log.txt").read_text()
    assert 0 < num_features[1] < num_features[0]

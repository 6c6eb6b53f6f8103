"""Class weights and selection by macro F1 in a training."""

import csv
import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import dsa
from dsa.data.corpora.catalogue import NLI
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.models.classifiers.refit import fit_classifier
from dsa.sweeps.overview import list_runs
from dsa.tasks.class_weights import compute_class_weights
from dsa.training.linear_training import make_classifier
from dsa.training.optimization import make_loss
from dsa.training.training_corpora import find_training_files
from dsa.training.training_data import build_training_data
from tests.support.layer_checks import numpy_of
from tests.support.runs import SMALL_MODEL, read_training, write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

LOGITS = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0], [2.0, 2.0, 1.0]], np.float32)
LABELS = np.array([0, 2, 1])


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_a_row_of_the_loss_is_multiplied_by_the_weight_of_its_label(smoothing):
    weights = np.array([1.0, 2.0, 5.0])
    loss = make_loss(read_training(label_smoothing=smoothing), NLI, weights)
    targets = np.eye(3)[LABELS] * (1 - smoothing) + smoothing / 3
    surprise = -np.log(np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True))
    expected = weights[LABELS] * (targets * surprise).sum(axis=1)
    np.testing.assert_allclose(numpy_of(loss(LABELS, LOGITS)), expected, rtol=1e-5)


def test_linear_classifiers_weigh_labels_as_scikit_learn():
    random = np.random.default_rng(5)
    features, labels = random.normal(size=(60, 3)), np.repeat([0, 1], [53, 7])
    weights = len(labels) / (2 * np.bincount(labels))
    expected = LogisticRegression(max_iter=1000, class_weight="balanced")
    expected.fit(features, labels)
    fitted = make_classifier("logistic", 1.0, 3, weights).fit(features, labels)
    np.testing.assert_allclose(fitted.coef_, expected.coef_, rtol=1e-3)
    kernel, _ = fit_classifier(
        features,
        labels,
        outputs=2,
        classifier="logistic",
        standardize=False,
        seed=3,
        class_weights=weights,
    )
    np.testing.assert_allclose(kernel[:, 1], expected.coef_[0], rtol=1e-3)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"training.class_weights": {"yes": 2}}, "unknown label 'yes'. Known: entail"),
        ({"training.class_weights": "balance"}, "expected 'balanced' or a mapping"),
        ({"training.class_weights": {"neutral": 0}}, "greater than 0|above 0"),
        (
            {"training.metric": "macro_f1", "data.corpus": "stsb"},
            "'training.metric' requires a classification task",
        ),
    ],
)
def test_impossible_weights_and_metrics_are_errors(tmp_path, overrides, message):
    with pytest.raises(InputError, match=message):
        load_experiment(write_experiment(tmp_path), overrides)


SKEWED = {
    "corpus": "own",
    "columns": {"premise": "p", "hypothesis": "h", "label": "l"},
    "labels": ["no", "yes"],
    "train": "train.csv",
    "dev": "dev.csv",
}


def write_skewed(folder):
    """Writes a config with 90 % of the label `no`; the hypotheses tell the label."""
    for name, count in (("train", 40), ("dev", 20)):
        lines = ["p,h,l"]
        for row in range(count):
            label, word = ("yes", "cat") if row % 10 == 3 else ("no", "dog")
            lines.append(f"{name} man {row},a {word} {row % 4},{label}")
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return write_experiment(folder, model=SMALL_MODEL)


def test_balanced_weights_have_mean_1_over_the_rows_of_an_epoch():
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    shares = np.array([1, 1, 1, 1, 1, 0.25, 0.25, 0.25, 0.25])  # a sampled corpus
    weights = compute_class_weights("balanced", ["a", "b", "c"], labels, shares)
    np.testing.assert_allclose(weights, [6 / 9, 1, 2])
    assert np.average(weights[labels], weights=shares) == pytest.approx(1)


def test_rows_that_are_not_trained_have_no_effect_on_class_weights(
    tmp_path, monkeypatch
):
    """Each row with the label `yes` is too long."""
    counts = []

    def record(setting, names, labels, shares):
        counts.append(np.bincount(labels, shares))
        return compute_class_weights(setting, names, labels, shares)

    monkeypatch.setattr("dsa.training.network_training.compute_class_weights", record)
    config = write_skewed(tmp_path)
    train = tmp_path / "train.csv"
    train.write_text(train.read_text().replace("a cat", "a cat" + " and a cat" * 9))
    settings = {"training.class_weights": "balanced", "training.max_tokens": 9}
    settings |= {"training.epochs": 1, "data": SKEWED}
    dsa.train(config, tmp_path / "run", settings, data_root=tmp_path)
    (count,) = counts
    assert count.tolist() == [36]
    settings = {"model": {"name": "features"}, "training.max_tokens": 9, "data": SKEWED}
    message = "every training row within 'training.max_tokens' has the label no. Rows"
    with pytest.raises(InputError, match=message):
        dsa.train(config, tmp_path / "linear", settings, data_root=tmp_path)


def test_a_skewed_corpus_is_hinted_at_unless_the_config_deals_with_it(tmp_path, caplog):
    config = write_skewed(tmp_path)
    caplog.set_level("INFO", "dsa")
    for overrides, hinted in (
        ({}, True),
        ({"training.class_weights": "balanced"}, False),
        ({"training.metric": "macro_f1"}, False),
    ):
        caplog.clear()
        experiment = load_experiment(config, {"data": SKEWED, **overrides})
        build_training_data(experiment, find_training_files(experiment, tmp_path))
        hint = "hint: 90 % of the training rows have the label 'no'"
        assert (hint in caplog.text) == hinted


def test_macro_f1_selects_the_weights_and_accuracy_stays_in_the_history(tmp_path):
    config = write_skewed(tmp_path)
    training = {
        "training.class_weights": "balanced",
        "training.metric": "macro_f1",
        "training.epochs": 4,
        "training.early_stopping": 4,
        "training.schedule": {"name": "halve_on_plateau"},
    }
    run = dsa.train(
        config, tmp_path / "run", {"data": SKEWED, **training}, data_root=tmp_path
    )
    with open(run / "history.csv") as file:
        history = list(csv.DictReader(file))
    names = list(history[0])
    assert names.index("val_accuracy") + 1 == names.index("val_macro_f1")
    (entry,) = json.loads((run / "metrics.json").read_text())["evaluations"]
    best = max(float(row["val_macro_f1"]) for row in history)
    assert entry["macro_f1"] == pytest.approx(best, abs=1e-6)
    assert dsa.train(
        config, run, {"data": SKEWED, **training}, data_root=tmp_path
    )  # the finished run is recognized by its metric
    assert f"dev macro_f1 {entry['macro_f1']:.4f}" in repr(dsa.load(run))
    assert f"macro_f1 {entry['macro_f1']:.4f}" in list_runs(run)
